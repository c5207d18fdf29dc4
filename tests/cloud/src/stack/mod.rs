//! A deployment: everything that the expanded template of `infra/` says, made in the emulated cloud.
//!
//! Names, environment, time-outs, memory, queues with their redrive policies, notifications of the
//! bucket, mappings, schedules, function URLs and policies are the template's own. A test may set a
//! property before it deploys: minutes of visibility are for AWS. A kind of resource that is not known
//! here is refused by name, so that nothing the template relies on is silently missing.

mod deploy;
mod error;
mod functions;
mod parts;
mod template;

pub use deploy::{Plan, Stack};
pub use error::StackError;
pub use template::Template;
