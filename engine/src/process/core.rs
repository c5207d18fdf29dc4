//! The state that all parts of a process share.

use std::sync::Arc;

use super::App;
use super::completion_waiters::CompletionWaiters;
use super::counts::Counter;
use super::run_hints::RunHints;
use super::sticky::Sticky;
use crate::domain::{Actor, ActorKind, Provenance};
use crate::ports::Ports;
use crate::settings::Settings;

/// The identity of this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// The worker's name, unique per lifetime of a process.
    pub worker: String,
    /// Where the process runs, for people: host and process.
    pub site: String,
    /// The build. Starts with its timestamp (`YYYYMMDDTHHMMSS`), so that builds sort by age.
    pub code_ref: String,
}

/// The ports, the settings, the application, and the identity of the process.
#[derive(Debug)]
pub struct Core {
    /// The ports to the outside.
    pub ports: Ports,
    /// Bounds and periods.
    pub settings: Settings,
    /// The workflows of this build.
    pub app: Arc<App>,
    /// The identity of this process.
    pub host: Host,
    pub(crate) completion_waiters: CompletionWaiters,
    pub(crate) run_hints: RunHints,
    /// Heads of executions whose last run in this process ended cleanly.
    pub(crate) sticky: Sticky,
    pub(crate) counter: Counter,
}

impl Core {
    /// Builds the provenance of a commit by this worker under lease `epoch`.
    pub(crate) fn provenance(&self, epoch: u64) -> Provenance {
        Provenance {
            actor: Actor::new(ActorKind::Worker, self.host.worker.clone()),
            site: Some(self.host.site.clone()),
            epoch: Some(epoch),
            code_ref: Some(self.host.code_ref.clone()),
        }
    }
}
