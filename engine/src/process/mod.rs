//! What all parts of one process share: its ports, settings, application, identity and counters.

mod chain;
mod completion_waiters;
mod core;
mod counts;
mod notice;
mod registry;
mod run_hints;
mod sticky;

pub use self::core::{Core, Host};
pub use chain::chain;
pub(crate) use completion_waiters::CompletionWaiters;
pub(crate) use counts::Counter;
pub use counts::Counts;
pub use notice::Notice;
pub use registry::{App, OnFault, Registered, RegistryError};
pub(crate) use run_hints::{HintQueue, RunHints};
pub(crate) use sticky::Sticky;

/// Log target of store errors, for programs that report these errors themselves.
pub const STORE: &str = "millpond::store";

/// Log target of the changes of executions: INFO for each change and each attempt of a step, WARN
/// for an execution that failed or was blocked. Each record is written after its commit has landed.
pub const EXECUTION: &str = "millpond::execution";
