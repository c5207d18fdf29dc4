//! Starting and signalling executions from another program.

use std::collections::BTreeSet;
use std::future::{Future, IntoFuture};
use std::path::PathBuf;
use std::pin::Pin;

use millpond::client::{App, Engine};
use millpond::domain::Queue;
use millpond::settings::Settings;

use crate::assembly::{Assembly, EngineFailure, Opening, OpeningError};
use crate::bucket::LocationError;
use crate::doorbell::doorbell;
use crate::environment::{Environment, EnvironmentError};

/// Connects this program to the bucket at `url`, to start, signal, inspect and control executions that
/// workers of another program run. Await it; it needs a tokio runtime.
///
/// The bucket must exist. The URL is that of the command line (docs/cli.md, The bucket), and credentials
/// are found in the same way. `MILLPOND_KEYRING`, `MILLPOND_COMPRESS`, `MILLPOND_QUEUES` and
/// `MILLPOND_TTL` apply.
///
/// ```no_run
/// use std::time::Duration;
///
/// use millpond::client::{Signal, Start};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let pond = millpond_functions::connect("s3://bucket/pond").declare("order", "1").await?;
/// let order = serde_json::json!({"item": "cup", "address": "Bern"});
/// let started = pond.start(Start::new("order").input(&order).key("order 7")).await?;
/// pond.signal(started.eid, Signal::on("payment").value(&300)).await?;
/// let outcome = pond.result(started.eid, Duration::from_secs(20)).await?;
/// println!("{}: {:?}", outcome.status, outcome.value);
/// # Ok(())
/// # }
/// ```
pub fn connect(url: impl Into<String>) -> Connect {
    Connect {
        url: url.into(),
        app: App::new(),
        keyring: None,
        queues: BTreeSet::new(),
    }
}

/// A connection to open: [`connect`].
#[derive(Debug)]
#[must_use = "it connects when it is awaited"]
pub struct Connect {
    url: String,
    app: App,
    keyring: Option<PathBuf>,
    queues: BTreeSet<Queue>,
}

/// Why a program cannot connect to a bucket.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ConnectError(#[from] Reason);

/// The reason, whose form is not part of the interface.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
enum Reason {
    Environment(#[from] EnvironmentError),
    Location(#[from] LocationError),
    Opening(#[from] OpeningError),
    Engine(#[from] EngineFailure),
}

impl Connect {
    /// Declares a workflow that this program starts and another one runs. Its input is not checked
    /// before it runs.
    pub fn declare(mut self, workflow: &str, version: &str) -> Self {
        self.app = self.app.declare(workflow, version);
        self
    }

    /// Uses the workflows of this application, whose code this program has: their inputs are checked at
    /// the start. It replaces what was declared so far.
    pub fn app(mut self, app: App) -> Self {
        self.app = app;
        self
    }

    /// Decrypts and encrypts objects by the keys in this file, instead of that of `MILLPOND_KEYRING`.
    pub fn keyring(mut self, file: impl Into<PathBuf>) -> Self {
        self.keyring = Some(file.into());
        self
    }

    /// Refuses starts on other queues than these, instead of those of `MILLPOND_QUEUES`.
    pub fn queues(mut self, served: impl IntoIterator<Item = Queue>) -> Self {
        self.queues.extend(served);
        self
    }

    async fn open(self) -> Result<Engine, Reason> {
        let environment = Environment::read()?;
        let keyring = self.keyring.or_else(|| environment.keyring.clone());
        let opening = Opening {
            compress: environment.compress,
            keyring: keyring.as_deref(),
            fsync: true,
            create: false,
            check: false,
        };
        let assembly = Assembly::open(self.url.parse()?, opening).await?;
        let mut settings = Settings {
            queues: match self.queues.is_empty() {
                true => environment.queues.clone(),
                false => self.queues,
            },
            ..Settings::default()
        };
        if let Some(ttl) = environment.ttl {
            settings.ttl = ttl;
        }
        let wakeups = doorbell(&assembly, false);
        Ok(assembly.engine(self.app, &environment, settings, wakeups)?)
    }
}

impl IntoFuture for Connect {
    type Output = Result<Engine, ConnectError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    /// Opens the bucket.
    ///
    /// # Errors
    /// [`ConnectError`]: the URL names no bucket, the bucket does not exist or cannot be opened, or a
    /// variable or the application is invalid.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async { Ok(self.open().await?) })
    }
}
