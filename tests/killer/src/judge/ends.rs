//! Every workflow has one of its expected outcomes.

use std::time::Duration;

use millpond::client::Engine;
use serde_json::Value;

use super::{Stories, Verdict};
use crate::Trouble;
use crate::plan::{Expected, Plan, eid_of};

pub(super) async fn check(
    verdict: &mut Verdict,
    engine: &Engine,
    plan: &Plan,
    stories: &Stories,
) -> Result<(), Trouble> {
    for case in &plan.cases {
        let eid = eid_of(&case.key);
        if !stories.contains_key(&eid) {
            verdict.must("end", eid, false, || {
                format!("{} was never started", case.key)
            });
            continue;
        }
        let outcome = match engine.result(eid, Duration::ZERO).await {
            Ok(outcome) => outcome,
            Err(error) => {
                verdict.must("end", eid, false, || format!("{}: {error}", case.key));
                continue;
            }
        };
        let good = match (&case.expected, &outcome.value) {
            (Expected::Value(value), Ok(json)) => json.get::<Value>()? == *value,
            (Expected::OneOf(values), Ok(json)) => values.contains(&json.get()?),
            (Expected::Cancelled(kind), Err(failure)) => {
                outcome.status.as_str() == *kind && failure.kind == *kind
            }
            _ => false,
        };
        verdict.must("end", eid, good, || {
            let mut ended = format!("{outcome:?}");
            ended.truncate(600);
            format!("{} ended otherwise: {ended}", case.key)
        });
    }
    Ok(())
}
