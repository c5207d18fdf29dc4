//! An engine and everything around it: what commands and functions have in common.
//!
//! From the store outwards: the count of requests; for a store behind a network the request log and
//! the throttle ([`Wrapped`]); the codec; then what the caller adds ([`Assembly::wrap`]). The count
//! is innermost, so that it contains only what was sent. The codec is above it, so that probes and
//! `--raw` read what is stored.

use std::io;
use std::path::Path;
use std::sync::Arc;

use millpond::client::{App, Engine, RegistryError};
use millpond::ports::{Bucket, Clock, Entropy, Ports, Wakeups};
use millpond::settings::Settings;
use millpond_codec::{Codec, Coded, Pond};
use millpond_host::{InProgress, OsEntropy, TokioSpawner};
use millpond_wrappers::Metered;

use crate::bucket::{
    Behind, KeyringFileError, Location, OpenError, OpenOptions, Opened, Wrapped, codec,
};
use crate::environment::Environment;
use crate::host::host;

/// How a bucket is opened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening<'a> {
    /// Compresses objects before they are written.
    pub(crate) compress: bool,
    /// The file of keys that encrypts objects.
    pub(crate) keyring: Option<&'a Path>,
    /// Waits for the disk before a write is acknowledged.
    pub(crate) fsync: bool,
    /// Creates the file on first use.
    pub(crate) create: bool,
    /// Reads a bucket that is one file completely first, and rejects a damaged one.
    pub(crate) check: bool,
}

/// Why a bucket could not be opened.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) enum OpeningError {
    Keyring(#[from] KeyringFileError),
    Bucket(#[from] OpenError),
}

/// Why there is no engine on an open bucket.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EngineFailure {
    #[error(transparent)]
    Registry(#[from] RegistryError),
    #[error(
        "cannot start threads for attempts: the system refused them; check the limit of threads"
    )]
    Threads(#[source] io::Error),
}

/// An open bucket, and what an engine needs beside it.
pub(crate) struct Assembly {
    pub(crate) location: Location,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    /// What operators can ask of the store, beyond the port.
    pub(crate) behind: Behind,
    /// The bucket without the codec: what probes read.
    pub(crate) store: Arc<dyn Bucket>,
    /// The pond of the bucket, if its objects are encrypted.
    pub(crate) pond: Option<Arc<Pond>>,
    /// The count of its requests.
    pub(crate) metered: Arc<Metered>,
    /// The tasks, attempts and blocking work of its engines.
    pub(crate) in_progress: InProgress,
    bucket: Arc<dyn Bucket>,
}

impl Assembly {
    /// Opens the bucket at `location`.
    ///
    /// # Errors
    /// The keyring cannot be used, or the bucket cannot be opened.
    pub(crate) async fn open(location: Location, how: Opening<'_>) -> Result<Self, OpeningError> {
        // First: an unusable keyring is reported even if there is no bucket, and none is created.
        let codec = codec(how.compress, how.keyring)?;
        let options = OpenOptions {
            fsync: how.fsync,
            create: how.create,
            check: how.check,
        };
        let opened = location.open(options).await?;
        Ok(Self::over(location, opened, codec))
    }

    /// The same over a bucket that is already open.
    pub(crate) fn over(location: Location, opened: Opened, codec: Codec) -> Self {
        let Opened {
            bucket,
            clock,
            behind,
        } = opened;
        let wrapped = Wrapped::new(bucket, &clock, location.is_far());
        let entropy: Arc<dyn Entropy> = Arc::new(OsEntropy::new());
        let store = wrapped.bucket;
        let pond = Pond::new(
            Arc::clone(&store),
            Arc::clone(&clock),
            Arc::clone(&entropy),
            codec.clone(),
        );
        let (pond, encrypted) = (Arc::new(pond), codec.is_encrypted());
        let bucket = Coded::new(
            Arc::clone(&store),
            codec,
            Arc::clone(&entropy),
            Arc::clone(&pond),
        );
        Self {
            location,
            clock,
            entropy,
            behind,
            store,
            pond: encrypted.then_some(pond),
            metered: wrapped.metered,
            in_progress: InProgress::default(),
            bucket: Arc::new(bucket),
        }
    }

    /// Adds an outermost wrapper: requests of the engine pass through it first, decoded.
    #[must_use]
    pub(crate) fn wrap(mut self, wrapper: impl FnOnce(Arc<dyn Bucket>) -> Arc<dyn Bucket>) -> Self {
        self.bucket = wrapper(self.bucket);
        self
    }

    /// An engine on the bucket, under a name of its own.
    ///
    /// # Errors
    /// The application is inconsistent, or the system refuses threads.
    pub(crate) fn engine(
        &self,
        app: App,
        environment: &Environment,
        settings: Settings,
        wakeups: Arc<dyn Wakeups>,
    ) -> Result<Engine, EngineFailure> {
        let spawner = TokioSpawner::current().counting(self.in_progress.clone());
        let spawner = spawner.with_attempts_apart();
        let ports = Ports {
            bucket: Arc::clone(&self.bucket),
            clock: Arc::clone(&self.clock),
            entropy: Arc::clone(&self.entropy),
            wakeups,
            spawner: Arc::new(spawner.map_err(EngineFailure::Threads)?),
        };
        let host = host(environment, &*self.entropy);
        Ok(Engine::with_settings(ports, app, host, settings)?)
    }
}
