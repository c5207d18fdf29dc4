//! Attempts of actions: each is a step of its own, which the engine makes once.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use millpond::domain::kind;
use millpond::{Attempt, Context, FrameError, Retry};
use serde_json::{Map, Value};

use super::handlers::{Answer, Call, HANDLER, Handler, Place};
use super::work::Completion;
use crate::Category;
use crate::machine::{Complete, Ending, Role};
use crate::program::Program;

/// An attempt that is to be made.
pub(super) struct NewAttempt {
    pub(super) control: u64,
    pub(super) role: Role,
    pub(super) place: Place,
    pub(super) input: Map<String, Value>,
    pub(super) handler: Handler,
    /// The time until the deadline of the activation.
    pub(super) left: Duration,
    pub(super) program: Arc<Program>,
}

/// Makes one attempt. An attempt that is lost with its worker is made again under the same key,
/// unless the action is made at most once.
pub(super) fn attempt(scope: &Context, new: NewAttempt) -> BoxFuture<'static, Completion> {
    let NewAttempt {
        control,
        role,
        place,
        input,
        handler,
        left,
        program,
    } = new;
    let (node, number) = (place.node.clone(), place.attempt);
    let call = move |step: Attempt, input: Map<String, Value>| {
        handler(Call {
            input,
            place: place.clone(),
            step,
        })
    };
    let retry = match role {
        Role::AtMostOnce => Retry::none().max_lost(0),
        Role::Action | Role::Agent => Retry::none(),
    };
    let step = scope.call("do", call, &input);
    let step = step.key(&number.to_string()).retry(retry).timeout(left);
    async move {
        let answer: Answer = match step.await {
            Ok(answer) => answer,
            Err(error) if role == Role::AtMostOnce && is_lost(&error) => {
                return Completion::Lost(control);
            }
            Err(error) => return Completion::Ended(control, failed(&error)),
        };
        Completion::Ended(
            control,
            match program.action(&node, answer.result) {
                Ok(finished) => Ending::Complete(Complete {
                    halt: answer.halt,
                    ..Complete::from(finished)
                }),
                Err(error) => Ending::Failed {
                    category: error.category(),
                    message: error.to_string(),
                    retryable: false,
                },
            },
        )
    }
    .boxed()
}

fn is_lost(error: &FrameError) -> bool {
    matches!(error, FrameError::StepFailed { failure, .. } if failure.kind == kind::ATTEMPT_LOST)
}

/// What the end of an attempt without an answer means: the handler's own failures may be followed by
/// another attempt, those of the engine are final.
fn failed(error: &FrameError) -> Ending {
    let (category, message, retryable) = match error {
        FrameError::StepFailed { failure, .. } => {
            let message = failure.message.clone();
            match &*failure.kind {
                HANDLER => (Category::Action, message, !failure.terminal),
                kind::TIMEOUT => (Category::Timeout, message, false),
                kind::PANIC => (Category::Execution, message, false),
                kind::PAYLOAD_TOO_LARGE => (Category::Limit, message, false),
                _ => (Category::Action, message, false),
            }
        }
        other => (Category::Execution, other.to_string(), false),
    };
    Ending::Failed {
        category,
        message,
        retryable,
    }
}
