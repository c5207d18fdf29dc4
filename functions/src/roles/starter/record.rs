//! From a record to what becomes of it.

use jiff::Timestamp;
use millpond_wakeups::message;
use serde_json::Value;

use super::report::Fate;
use super::role::Starter;
use crate::triggers::{Occasion, Occasions, Rule, Source};

impl Starter {
    /// All that one record tells.
    pub(super) async fn record(&self, occasions: Occasions, until: Option<Timestamp>) -> Vec<Fate> {
        // One event of S3 through EventBridge: it is enough if either fits.
        let pair = matches!(
            occasions.as_slice(),
            [
                Ok(Occasion {
                    source: Source::EventBridge,
                    ..
                }),
                Ok(Occasion {
                    source: Source::S3,
                    ..
                })
            ]
        );
        let mut fates = Vec::new();
        for occasion in occasions {
            match occasion {
                Err(error) => fates.push(Fate::Refused {
                    rule: None,
                    why: error.to_string(),
                }),
                Ok(occasion) => fates.extend(self.occasion(&occasion, until).await),
            }
        }
        if pair {
            let nothing = |fate: &Fate| matches!(fate, Fate::Unmatched { .. } | Fate::Own { .. });
            if fates.iter().all(nothing) {
                return vec![together(fates)];
            }
            fates.retain(|fate| !nothing(fate));
        }
        fates
    }

    async fn occasion(&self, occasion: &Occasion, until: Option<Timestamp>) -> Vec<Fate> {
        if self.is_own(occasion) {
            return vec![Fate::Own {
                what: what(occasion),
            }];
        }
        let (mut fates, mut why) = (Vec::new(), Vec::new());
        for rule in self.rules.iter() {
            match rule.mismatch(occasion) {
                None => fates.extend(self.follow(rule, occasion, until).await),
                Some(mismatch) if rule.source() == occasion.source => {
                    why.push(format!("{}: {mismatch}", rule.name()));
                }
                Some(_) => {}
            }
        }
        if fates.is_empty() {
            fates.push(Fate::Unmatched {
                what: what(occasion),
                why,
            });
        }
        fates
    }

    /// Whether it tells of what the engine itself wrote or sent.
    fn is_own(&self, occasion: &Occasion) -> bool {
        match occasion.source {
            Source::S3 | Source::EventBridge => {
                let own = self.own.as_ref();
                own.is_some_and(|own| own.is_told_by(&occasion.event))
            }
            // A hint to a worker, in the wrong queue.
            Source::Sqs => is_hint(&occasion.event["body"]),
            Source::Sns | Source::Webhook => false,
        }
    }

    /// What follows by one rule that fits.
    pub(super) async fn follow(
        &self,
        rule: &Rule,
        occasion: &Occasion,
        until: Option<Timestamp>,
    ) -> Vec<Fate> {
        if let Some(split) = &rule.split {
            return Box::pin(self.split(rule, split, occasion, until)).await;
        }
        let plan = rule.plan(&occasion.event, &occasion.identity);
        vec![match plan {
            Ok(plan) => self.carry(&plan, until).await,
            Err(unfit) => Fate::refused(&rule.name, unfit),
        }]
    }
}

/// What is said of an event that is of two sources, and fits in neither.
fn together(fates: Vec<Fate>) -> Fate {
    let (mut all, mut what) = (Vec::new(), String::new());
    for fate in fates {
        match fate {
            Fate::Unmatched { what: told, why } => {
                what = told;
                all.extend(why);
            }
            own => return own,
        }
    }
    Fate::Unmatched { what, why: all }
}

fn what(occasion: &Occasion) -> String {
    format!("{} {}", occasion.source, occasion.identity)
}

/// Whether a message is one that the engine sends to wake a worker: all of its form, since others
/// may have a field of that name.
fn is_hint(body: &Value) -> bool {
    body.is_object() && message::parse(&body.to_string()).is_some()
}
