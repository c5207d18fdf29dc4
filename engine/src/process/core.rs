//! What every part of a runtime shares.

use std::sync::Arc;

use super::App;
use super::completion_waiters::CompletionWaiters;
use super::counts::Counter;
use super::sticky::Sticky;
use crate::domain::{Actor, ActorKind, Provenance};
use crate::ports::Ports;
use crate::settings::Settings;

/// Who this process is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Names this worker among all of them: unique per process life.
    pub worker: String,
    /// Where it runs, for people: host and process.
    pub site: String,
    /// The build. Begins with its instant (`YYYYMMDDTHHMMSS`), so that builds sort by age.
    pub code_ref: String,
}

/// The ports, the settings, the application, and who we are.
#[derive(Debug)]
pub struct Core {
    /// The world.
    pub ports: Ports,
    /// Bounds and periods.
    pub settings: Settings,
    /// The workflows this build knows.
    pub app: Arc<App>,
    /// This process.
    pub host: Host,
    /// Who waits for an end.
    pub(crate) completion_waiters: CompletionWaiters,
    /// Heads of executions that came to rest here.
    pub(crate) sticky: Sticky,
    /// What runs have done.
    pub(crate) counter: Counter,
}

impl Core {
    /// What stands on a commit of this worker under lease `epoch`.
    pub(crate) fn provenance(&self, epoch: u64) -> Provenance {
        Provenance {
            actor: Actor::new(ActorKind::Worker, self.host.worker.clone()),
            site: Some(self.host.site.clone()),
            epoch: Some(epoch),
            code_ref: Some(self.host.code_ref.clone()),
        }
    }
}
