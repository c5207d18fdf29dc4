//! What programs and operators call: start, signal, look.
//!
//! An engine only writes mail and first heads, and reads. It never replaces a head (I2): a
//! run is the single writer.

mod audit;
mod control;
mod error;
mod execution;
mod frames;
mod list;
mod objects;
mod past;
mod price;
mod result;
mod start;

use std::sync::Arc;

pub use crate::journal::{CommitError, Lease};
pub use crate::process::{
    App, Core, Counts, Host, Notice, Registered, RegistryError, STORE, chain,
};
pub use crate::replay::{AttemptView, Frame, FrameKind, FrameStatus};
pub use crate::retention::{
    Retained, Retention, RetentionError, RetentionSettings, RetentionSettingsError,
};
pub use crate::run::{Causes, Ended, RunError, Stop};
pub use crate::stored::LoadError;
pub use crate::sweeper::{Sweeper, Swept};
pub use crate::timers::{Due as DueTimers, due as due_timers};
pub use crate::worker::{Watch, Worker, WorkerEvent, WorkerOptions};
pub use audit::{Asleep, Audit, Finding};
pub use control::{Signal, Signalled};
pub use error::{EngineError, ErrorKind};
pub use execution::{Execution, JournalPage};
pub use list::{Filter, Row};
pub use price::Price;
pub use result::Outcome;
pub use start::{Start, Started};

use crate::domain::ExecutionId;
use crate::ports::Ports;
use crate::process::{CompletionWaiters, Counter, Sticky};
use crate::run;
use crate::settings::Settings;

/// A handle on one bucket with one application. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Engine {
    core: Arc<Core>,
}

impl Engine {
    /// An engine with default settings.
    ///
    /// # Errors
    /// [`RegistryError`] when the application does not hold together.
    pub fn new(ports: Ports, app: App, host: Host) -> Result<Self, RegistryError> {
        Self::with_settings(ports, app, host, Settings::default())
    }

    /// An engine with settings of its own.
    ///
    /// # Errors
    /// [`RegistryError`] when the application does not hold together.
    pub fn with_settings(
        ports: Ports,
        app: App,
        host: Host,
        settings: Settings,
    ) -> Result<Self, RegistryError> {
        app.check()?;
        let sticky = Sticky::new(settings.sticky);
        Ok(Self {
            core: Arc::new(Core {
                ports,
                settings,
                app: Arc::new(app),
                host,
                completion_waiters: CompletionWaiters::default(),
                sticky,
                counter: Counter::default(),
            }),
        })
    }

    /// The application.
    #[must_use]
    pub fn app(&self) -> &App {
        &self.core.app
    }

    /// The ports it was given.
    #[must_use]
    pub fn ports(&self) -> &Ports {
        &self.core.ports
    }

    /// Runs one execution for as long as it has work: what a worker does for each cause it
    /// finds. At most one run of an execution at a time in a process.
    ///
    /// Price: see the price list; a run without anything to do costs 1 P and 1 G.
    ///
    /// # Errors
    /// [`RunError`]: nothing is lost, the causes stay; run it again.
    pub async fn run(&self, eid: ExecutionId, causes: Causes) -> Result<Ended, RunError> {
        self.run_until(eid, causes, Stop::default()).await
    }

    /// The same, until it is told to hand over: for who has little time.
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

    /// What runs of this process have done so far. Costs no request.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.core.counter.counts()
    }

    /// What workers and sweepers are made of.
    #[must_use]
    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }
}
