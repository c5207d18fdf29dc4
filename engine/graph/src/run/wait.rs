//! Sleeps, and waits for a decision.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use millpond::Context;
use serde_json::Value;

use super::message::decision_channel;
use super::timer::instant;
use super::work::Completion;
use crate::Category;
use crate::machine::{Complete, Ending};

/// A sleep of an activation until a time in milliseconds. A past one ends at once.
pub(super) fn sleep(scope: &Context, control: u64, until: u64) -> BoxFuture<'static, Completion> {
    let sleep = scope.sleep_until(instant(until));
    async move {
        let ending = match sleep.await {
            Ok(()) => Ending::Complete(Complete::of(Vec::new())),
            Err(error) => Ending::Failed {
                category: Category::Execution,
                message: error.to_string(),
                retryable: false,
            },
        };
        Completion::Ended(control, ending)
    }
    .boxed()
}

/// A wait for the decision of one generation of a control.
pub(super) fn decision(
    scope: &Context,
    control: u64,
    generation: u64,
) -> BoxFuture<'static, Completion> {
    let receive = scope.receive::<Value>(&decision_channel(control, generation));
    let receive = receive.key(&format!("{control}-{generation}"));
    async move { Completion::Decision(control, generation, receive.await) }.boxed()
}
