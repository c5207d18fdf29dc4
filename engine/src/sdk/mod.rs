//! What authors import: the context, its frame futures, their options and failures.

mod attempt;
mod child;
mod context;
mod error;
mod frame;
mod frame_error;
mod named_step;
mod options;
mod retry;
mod step;
mod step_body;
#[cfg(test)]
mod tests;
mod wait;
mod workflow;

pub use attempt::Attempt;
pub(crate) use attempt::Canceller;
pub use child::{Child, Spawn};
pub use context::Context;
pub use error::{Failed, StepError};
pub use frame_error::FrameError;
pub use named_step::NamedStep;
pub(crate) use options::StepOptions;
pub use retry::Retry;
pub use step::Step;
pub(crate) use step_body::StepBody;
pub use step_body::{CallFn, StepFn};
pub use wait::{Receive, ReceiveTimeout, Sleep};
pub use workflow::{ErasedWorkflow, Workflow, erase, erase_fn};
