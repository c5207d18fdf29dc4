//! What authors import: the context, its frame futures, their options and failures.

mod channels;
mod child;
mod context;
mod error;
mod frame;
mod long_lived;
#[cfg(any(test, feature = "testing"))]
mod mock;
mod named_step;
mod patterns;
mod state;
mod step;
mod step_body;
#[cfg(test)]
mod tests;
mod wait;
mod workflow;

pub use crate::replay::{Attempt, FrameError, Retry, State};
pub use channels::DeclaredChannel;
pub use child::{Child, Spawn};
pub use context::Context;
pub use error::{Failed, StepError};
#[cfg(any(test, feature = "testing"))]
pub(crate) use mock::Mock;
pub use named_step::NamedStep;
pub use patterns::{Map, Saga};
pub use step::Step;
pub use step_body::{CallFn, StepFn};
pub use wait::{Receive, ReceiveTimeout, Sleep, WaitForRetry};
pub use workflow::{ErasedWorkflow, Workflow, erase, erase_fn};
pub(crate) use workflow::{declared, drive, with_states};
