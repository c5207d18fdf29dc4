//! The calls for programs and operators: start, signal, read.
//!
//! An engine only writes mail and first heads, and reads. It never replaces a head (I2): a run is
//! the single writer.

mod attention;
mod audit;
mod control;
mod delete;
mod descendants;
mod error;
mod execution;
mod finding;
mod frames;
mod list;
mod objects;
mod open;
mod past;
mod place;
mod price;
mod query;
mod result;
mod retry;
mod start;
mod unread;
mod unserved;
mod versions;

use std::sync::Arc;

pub use crate::journal::{CommitError, Lease, Price};
pub use crate::process::{
    App, Core, Counts, EXECUTION, Host, Notice, OnFault, Registered, RegistryError, STORE, chain,
};
pub use crate::replay::{AttemptView, AwaitedFrame, Frame, FrameKind, FrameStatus};
pub use crate::retention::{
    Retained, Retention, RetentionError, RetentionSettings, RetentionSettingsError,
};
pub use crate::run::{Causes, Ended, Query, RunError, ShownState, Stop};
pub use crate::stored::LoadError;
pub use crate::sweeper::{Position, Sweeper, Swept};
pub use crate::timers::{Due as DueTimers, due as due_timers};
pub use crate::worker::{RunSpan, Watch, Worker, WorkerEvent, WorkerOptions};
pub use attention::{BlockedExecution, UnreadMessages};
pub use audit::Audit;
pub use control::{Signal, Signalled};
pub use delete::{Delete, Deleted};
pub use descendants::Descendants;
pub use error::{EngineError, ErrorKind};
pub use execution::{Execution, JournalPage};
pub use finding::{Asleep, Finding};
pub use list::{Filter, Row};
pub use query::Queried;
pub use result::Outcome;
pub use start::{Start, Started};
pub use unread::Unread;
pub use unserved::{Unserved, WhyUnserved};
pub use versions::UsedVersion;

use crate::domain::ExecutionId;
use crate::ports::{Ports, TimedBucket};
use crate::process::{CompletionWaiters, Counter, RunHints, Sticky};
use crate::run;
use crate::settings::Settings;

/// A handle on one bucket with one application. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Engine {
    core: Arc<Core>,
}

impl Engine {
    /// Creates an engine with default settings.
    ///
    /// # Errors
    /// [`RegistryError`] if a workflow of the application could not be registered.
    pub fn new(ports: Ports, app: App, host: Host) -> Result<Self, RegistryError> {
        Self::with_settings(ports, app, host, Settings::default())
    }

    /// Creates an engine with the given settings.
    ///
    /// # Errors
    /// [`RegistryError`] if a workflow of the application could not be registered.
    pub fn with_settings(
        mut ports: Ports,
        app: App,
        host: Host,
        settings: Settings,
    ) -> Result<Self, RegistryError> {
        app.check()?;
        let (bucket, clock) = (ports.bucket, Arc::clone(&ports.clock));
        ports.bucket = Arc::new(TimedBucket::new(bucket, clock, settings.request_timeout));
        let sticky = Sticky::new(settings.sticky);
        Ok(Self {
            core: Arc::new(Core {
                ports,
                settings,
                app: Arc::new(app),
                host,
                completion_waiters: CompletionWaiters::default(),
                run_hints: RunHints::default(),
                sticky,
                counter: Counter::default(),
            }),
        })
    }

    /// Returns the application.
    #[must_use]
    pub fn app(&self) -> &App {
        &self.core.app
    }

    /// Returns the ports of this engine.
    #[must_use]
    pub fn ports(&self) -> &Ports {
        &self.core.ports
    }

    /// Runs one execution for as long as it has work, as a worker does for each cause it finds. A
    /// process has at most one run of an execution at a time.
    ///
    /// Price: see the price list; a run without any work costs 1 P and 1 G.
    ///
    /// # Errors
    /// [`RunError`]: nothing is lost, the causes remain; run it again.
    pub async fn run(&self, eid: ExecutionId, causes: Causes) -> Result<Ended, RunError> {
        self.run_until(eid, causes, Stop::default()).await
    }

    /// Runs one execution until it is asked to hand over, for callers with a time limit.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn run_until(
        &self,
        eid: ExecutionId,
        causes: Causes,
        stop: Stop,
    ) -> Result<Ended, RunError> {
        run::run(Arc::clone(&self.core), eid, causes, stop, &mut Vec::new()).await
    }

    /// Returns counts of what the runs of this process have done so far. Costs no request.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.core.counter.counts()
    }

    /// Returns the core that workers and sweepers are built from.
    #[must_use]
    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }
}
