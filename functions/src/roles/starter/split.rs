//! One start or signal for each line of an object.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::StreamExt as _;
use futures::stream;
use jiff::Timestamp;

use super::objects::Fetched;
use super::report::Outcome;
use super::role::Starter;
use crate::triggers::{Line, Rule, Split, TriggerEvent};

/// How many lines of an object are worked on at once.
const AT_ONCE: usize = 16;

impl Starter {
    /// Reads the object and follows each line of it. Dies it half way, the event comes again,
    /// and what was started is found by its keys: object, version and line.
    pub(super) async fn split(
        &self,
        rule: &Rule,
        split: &Split,
        event: &TriggerEvent,
        until: Option<Timestamp>,
    ) -> Vec<Outcome> {
        let lines = match self.lines(rule, split, event).await {
            Ok(lines) => lines,
            Err(outcome) => return vec![outcome],
        };
        let failed = &AtomicBool::new(false);
        let lines = stream::iter(lines).map(|line| async move {
            // The event comes again: what is left now is begun then.
            if failed.load(Ordering::Relaxed) {
                return None;
            }
            let number = line.number;
            let plan = rule.plan_line(&event.value, &event.identity, line);
            let outcome = match plan {
                Ok(plan) => Box::pin(self.carry(&plan, until)).await,
                Err(error) => {
                    let what = &event.identity;
                    Outcome::refused(&rule.name, format!("line {number} of {what}: {error}"))
                }
            };
            failed.fetch_or(outcome.failed(), Ordering::Relaxed);
            Some(outcome)
        });
        let outcomes = lines.buffered(AT_ONCE);
        outcomes.filter_map(std::future::ready).collect().await
    }

    async fn lines(
        &self,
        rule: &Rule,
        split: &Split,
        event: &TriggerEvent,
    ) -> Result<Vec<Line>, Outcome> {
        let what = &event.identity;
        let refused = |why: &str| Outcome::refused(&rule.name, format!("{what}: {why}"));
        let Some(object) = &event.object else {
            return Err(refused("it is no object"));
        };
        let read = self.objects.read(object, split.max_bytes).await;
        let bytes = match read {
            Ok(Fetched::Whole(bytes)) => bytes,
            Ok(Fetched::Gone) => return Err(refused("it is gone")),
            Ok(Fetched::Replaced) => {
                return Err(refused("it was written again; that event starts its lines"));
            }
            Ok(Fetched::TooLarge { bytes }) => {
                let most = split.max_bytes;
                return Err(refused(&format!(
                    "it is over the rule's `max_bytes`: bytes={bytes}, most={most}"
                )));
            }
            Err(error) => return Err(Outcome::failure(&rule.name, error)),
        };
        split
            .lines(&bytes)
            .map_err(|error| refused(&error.to_string()))
    }
}
