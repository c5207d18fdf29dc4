//! A deployment: all resources of the expanded template of `infra/`, created in the emulated cloud.
//!
//! Names, environment, timeouts, memory, queues with their redrive policies, notifications of the
//! bucket, mappings, schedules, function URLs and policies are the template's own. A test may
//! change a property before it deploys: for example, the visibility timeouts of minutes are for
//! AWS. An unsupported type of resource is rejected by name, so that nothing the template depends
//! on is silently missing.

mod deploy;
mod error;
mod functions;
mod parts;
mod template;

pub use deploy::{Plan, Stack};
pub use error::StackError;
pub use template::Template;
