//! Starts or signals once for each line of an object.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream;
use jiff::Timestamp;

use super::objects::Fetched;
use super::report::Outcome;
use super::role::Starter;
use crate::triggers::{Line, Rule, Split, TriggerEvent};

/// The most lines of an object that are processed at once.
const AT_ONCE: usize = 16;

impl Starter {
    /// Reads the object and processes each line. If the function exits midway, the event is
    /// redelivered, and what was done is found by its keys: object, version and line.
    pub(super) async fn split(
        &self,
        rule: &Rule,
        split: &Split,
        event: &TriggerEvent,
        until: Option<Timestamp>,
    ) -> Vec<Outcome> {
        let size = event.object.as_ref().and_then(|object| object.size);
        let size = size.and_then(|size| usize::try_from(size).ok());
        let bytes = size.unwrap_or(usize::MAX).min(split.max_bytes);
        let _memory = self.memory.for_object(bytes).await;
        let lines = match self.lines(rule, split, event).await {
            Ok(lines) => lines,
            Err(outcome) => return vec![outcome],
        };
        // Lines that signal one execution are delivered in the order of the file.
        let (mut lanes, mut receivers): (Vec<Vec<Line>>, _) = (Vec::new(), BTreeMap::new());
        for line in lines {
            let next = lanes.len();
            let receiver = rule.receiver(&event.value, &line);
            let lane = receiver.map_or(next, |to| *receivers.entry(to).or_insert(next));
            match lanes.get_mut(lane) {
                Some(lane) => lane.push(line),
                None => lanes.push(vec![line]),
            }
        }
        let failed = &AtomicBool::new(false);
        let lanes = stream::iter(lanes).map(|lane| async move {
            let (mut outcomes, mut sent) = (Vec::new(), None);
            for line in lane {
                // The event is delivered again, and the rest is done then.
                if failed.load(Ordering::Relaxed) {
                    break;
                }
                sent = Some(self.later_than(sent).await);
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
                outcomes.push((number, outcome));
            }
            outcomes
        });
        let outcomes = lanes.buffered(AT_ONCE).collect::<Vec<_>>().await;
        let mut outcomes: Vec<(u64, Outcome)> = outcomes.into_iter().flatten().collect();
        outcomes.sort_by_key(|(number, _)| *number);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }

    /// An instant after `sent`: an execution receives messages in the order of their times.
    async fn later_than(&self, sent: Option<Timestamp>) -> Timestamp {
        let clock = &self.engine.ports().clock;
        while Some(clock.now()) == sent {
            clock.sleep(Duration::from_millis(1)).await;
        }
        clock.now()
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
            return Err(refused("the event concerns no object"));
        };
        let read = self.objects.read(object, split.max_bytes).await;
        let bytes = match read {
            Ok(Fetched::Whole(bytes)) => bytes,
            Ok(Fetched::Gone) => return Err(refused("the object was deleted")),
            Ok(Fetched::Replaced) => {
                return Err(refused(
                    "the object was overwritten; the event of the later version starts its lines",
                ));
            }
            Ok(Fetched::TooLarge { bytes }) => {
                let max = split.max_bytes;
                return Err(refused(&format!(
                    "the object exceeds the rule's `max_bytes`: split it or raise the limit: bytes={bytes}, max={max}"
                )));
            }
            Err(error) => return Err(Outcome::failure(&rule.name, error)),
        };
        split
            .lines(&bytes, self.memory.budget())
            .map_err(|error| refused(&error.to_string()))
    }
}
