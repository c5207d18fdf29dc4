//! The folder that all processes of a run share, and an engine on it for processes other than
//! workers.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use millpond::client::{Engine, Host};
use millpond::ports::{Doorbell, Ports};
use millpond::settings::Settings;
use millpond_host::{OsEntropy, SystemClock, TokioSpawner};
use millpond_sqlite::{Durability, Options, SqliteBucket};

use crate::Trouble;
use crate::workflows::app;

/// The variable that passes the folder to the processes of a run.
pub(crate) const FOLDER: &str = "MILLPOND_KILLER_FOLDER";

/// A run's folder: the bucket, the external effects, and the output of the processes.
#[derive(Debug, Clone)]
pub(crate) struct Place(PathBuf);

impl Place {
    pub(crate) fn new(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// The folder of this process, as set by its parent.
    pub(crate) fn of_process() -> Result<Self, Trouble> {
        let folder = std::env::var_os(FOLDER).ok_or_else(|| format!("{FOLDER} is not set"))?;
        Ok(Self(folder.into()))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    pub(crate) fn pond(&self) -> PathBuf {
        self.0.join("pond.db")
    }

    /// The effects of steps, one line for each attempt.
    pub(crate) fn ledger(&self) -> PathBuf {
        self.0.join("ledger")
    }

    /// The progress of the client, one line for each reply.
    pub(crate) fn answers(&self) -> PathBuf {
        self.0.join("answers")
    }

    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.log"))
    }

    /// An engine that starts, signals and reads, and runs no executions. Needs a tokio runtime.
    pub(crate) fn engine(&self, ttl: Duration) -> Result<Engine, Trouble> {
        // A killed process loses no confirmed write even without flushes: only a power failure
        // does.
        let options = Options {
            durability: Durability::Relaxed,
            ..Options::default()
        };
        let ports = Ports {
            bucket: Arc::new(SqliteBucket::open(self.pond(), options)?),
            clock: Arc::new(SystemClock::new()),
            entropy: Arc::new(OsEntropy::new()),
            wakeups: Arc::new(Doorbell::default()),
            spawner: Arc::new(TokioSpawner::current()),
        };
        let site = format!("killer-{}", std::process::id());
        let host = Host {
            worker: site.clone(),
            code_ref: "00000000T000000-killer".to_owned(),
            site,
        };
        let settings = Settings {
            ttl,
            ..Settings::default()
        };
        Ok(Engine::with_settings(ports, app(), host, settings)?)
    }
}
