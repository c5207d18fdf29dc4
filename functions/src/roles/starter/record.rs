//! Processes records.

use jiff::Timestamp;
use millpond_wakeups::message;
use serde_json::Value;

use super::report::Outcome;
use super::role::Starter;
use crate::triggers::{Rule, SourceKind, TriggerEvent, TriggerEvents};

impl Starter {
    /// Processes all events of one record.
    pub(super) async fn record(
        &self,
        events: TriggerEvents,
        until: Option<Timestamp>,
    ) -> Vec<Outcome> {
        // One event of S3 through EventBridge: it is enough if a rule matches either form.
        let pair = matches!(
            events.as_slice(),
            [
                Ok(TriggerEvent {
                    source: SourceKind::EventBridge,
                    ..
                }),
                Ok(TriggerEvent {
                    source: SourceKind::S3,
                    ..
                })
            ]
        );
        let mut outcomes = Vec::new();
        for event in events {
            match event {
                Err(error) => outcomes.push(Outcome::Refused {
                    rule: None,
                    why: error.to_string(),
                }),
                Ok(event) => outcomes.extend(self.event(&event, until).await),
            }
        }
        if pair {
            let nothing = |outcome: &Outcome| {
                matches!(outcome, Outcome::Unmatched { .. } | Outcome::Own { .. })
            };
            if outcomes.iter().all(nothing) {
                return vec![merged(outcomes)];
            }
            outcomes.retain(|outcome| !nothing(outcome));
        }
        outcomes
    }

    async fn event(&self, event: &TriggerEvent, until: Option<Timestamp>) -> Vec<Outcome> {
        if self.is_own(event) {
            return vec![Outcome::Own { what: what(event) }];
        }
        let mut outcomes = Vec::new();
        let mut why: Vec<String> = event.refused.iter().cloned().collect();
        for rule in self.rules.iter() {
            match rule.mismatch(event) {
                None => outcomes.extend(self.follow(rule, event, until).await),
                Some(mismatch) if rule.source() == event.source => {
                    why.push(format!("{}: {mismatch}", rule.name()));
                }
                Some(_) => {}
            }
        }
        if outcomes.is_empty() {
            outcomes.push(Outcome::Unmatched {
                what: what(event),
                why,
            });
        }
        outcomes
    }

    /// Whether it reports what the engine itself wrote or sent.
    fn is_own(&self, event: &TriggerEvent) -> bool {
        match event.source {
            SourceKind::S3 | SourceKind::EventBridge => {
                let own = self.own.as_ref();
                own.is_some_and(|own| own.concerns(&event.value))
            }
            // A worker's hint, in the wrong queue.
            SourceKind::Sqs => is_hint(&event.value["body"]),
            SourceKind::Sns | SourceKind::Webhook => false,
        }
    }

    /// Executes what a matching rule does.
    pub(super) async fn follow(
        &self,
        rule: &Rule,
        event: &TriggerEvent,
        until: Option<Timestamp>,
    ) -> Vec<Outcome> {
        if let Some(split) = rule.split() {
            return Box::pin(self.split(rule, split, event, until)).await;
        }
        let plan = rule.plan(&event.value, &event.identity);
        vec![match plan {
            Ok(plan) => self.carry(&plan, until).await,
            Err(error) => Outcome::refused(&rule.name, error),
        }]
    }
}

/// The outcome of an event of two sources that matches in neither form.
fn merged(outcomes: Vec<Outcome>) -> Outcome {
    let (mut all, mut what) = (Vec::new(), String::new());
    for outcome in outcomes {
        match outcome {
            Outcome::Unmatched { what: event, why } => {
                what = event;
                all.extend(why);
            }
            own => return own,
        }
    }
    Outcome::Unmatched { what, why: all }
}

fn what(event: &TriggerEvent) -> String {
    format!("{} {}", event.source, event.identity)
}

/// Whether a message is one that the engine sends to wake a worker. The whole form is checked:
/// other messages may have a field with that name.
fn is_hint(body: &Value) -> bool {
    body.is_object() && message::parse(&body.to_string()).is_some()
}
