//! What runs executions, and what operators call.

mod chain;
mod completion_waiters;
mod core;
mod counts;
mod engine;
mod notice;
mod outbox;
mod registry;
mod retention;
mod run;
mod sticky;
mod sweeper;
#[cfg(test)]
mod tests;
mod worker;

pub use chain::chain;
pub use core::{Core, Host};
pub use counts::Counts;
pub use engine::{
    Asleep, AttemptView, Audit, Engine, EngineError, ErrorKind, Execution, Filter, Finding, Frame,
    FrameKind, FrameStatus, JournalPage, Outcome, Price, Row, Signal, Signalled, Start, Started,
};
pub use notice::Notice;
pub use registry::{App, Registered, RegistryError};
pub use retention::{
    Retained, Retention, RetentionError, RetentionSettings, RetentionSettingsError,
};
pub use run::{Causes, Ended, RunError, Stop};
pub use sweeper::{Sweeper, Swept};
pub use worker::{Watch, Worker, WorkerEvent, WorkerOptions};

/// Target of what is logged about troubles of the store, for programs that say these
/// themselves.
pub const STORE: &str = "millpond::store";
