//! What every command has at hand.

use std::sync::Arc;

use millpond::client::{App, Engine, RetentionSettings};
use millpond::domain::{Actor, ActorKind};
use millpond::ports::{Bucket, Doorbell, Entropy, Ports, Wakeups};
use millpond::settings::Settings;
use millpond_codec::{Codec, Coded};
use millpond_host::{OsEntropy, TokioSpawner};
#[cfg(unix)]
use millpond_wakeups::SocketDoorbell;
use millpond_wrappers::{Metered, Remembered};

use super::Streams;
use super::args::Globals;
use super::error::Error;
use crate::bucket::{Behind, Location, Opened, Reported, Wrapped, codec};
use crate::environment::Environment;
use crate::host::host;

/// The bucket where nobody names one.
const DEFAULT: &str = "sqlite:./pond.db";

/// An engine on the bucket, who acts, and where to answer.
pub(crate) struct Desk {
    pub(crate) engine: Engine,
    pub(crate) actor: Actor,
    pub(crate) streams: Streams,
    /// The bucket, as people call it.
    pub(crate) place: String,
    /// Whether no other process can reach the bucket.
    pub(crate) private: bool,
    /// The bucket as it is, without the codec: what probes ask.
    pub(crate) store: Arc<dyn Bucket>,
    /// Whether its requests go over a network, and are billed.
    pub(crate) far: bool,
    /// What can be asked of the store beside the port.
    pub(crate) behind: Behind,
    /// The delays of `retention`, where it is not told others.
    pub(crate) retention: RetentionSettings,
    /// Counts the requests, with `--bill`.
    pub(crate) metered: Option<Arc<Metered>>,
}

/// A bucket that is open.
pub(crate) struct Store {
    /// Where it is.
    pub(crate) location: Location,
    pub(crate) opened: Opened,
    /// How objects are coded in it.
    pub(crate) codec: Codec,
}

/// What a command does with the bucket, before it does anything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Use {
    /// Makes the folder on first use. A command that only looks leaves a mistyped path alone.
    pub(crate) creates: bool,
    /// Runs executions: hears of causes that other processes write.
    pub(crate) works: bool,
    /// Reads a file of a bucket whole before anything else, and refuses a damaged one.
    pub(crate) checks: bool,
    /// Stays for long: troubles of the store are said, and tried again.
    pub(crate) stays: bool,
}

impl Desk {
    /// Opens the bucket.
    ///
    /// # Errors
    /// The URL names no bucket, it cannot be opened, or the application does not hold together.
    pub(crate) async fn open(
        app: App,
        globals: &Globals,
        environment: &Environment,
        streams: Streams,
        how: Use,
    ) -> Result<Self, Error> {
        let url = globals.bucket.as_deref().or(environment.bucket.as_deref());
        let location: Location = url.unwrap_or(DEFAULT).parse()?;
        let compress = globals.compress || environment.compress;
        let keyring = globals.keyring.as_deref();
        // First: a keyring that is no good is said though there is no bucket, and none is made.
        let codec = codec(compress, keyring.or(environment.keyring.as_deref()))?;
        let opened = location
            .open(!globals.no_fsync, how.creates, how.checks)
            .await?;
        let store = Store {
            location,
            opened,
            codec,
        };
        Self::over(store, app, globals, environment, streams, how)
    }

    /// The same on a bucket that is open already.
    ///
    /// # Errors
    /// The application does not hold together.
    pub(crate) fn over(
        store: Store,
        app: App,
        globals: &Globals,
        environment: &Environment,
        streams: Streams,
        how: Use,
    ) -> Result<Self, Error> {
        let Store {
            location,
            opened,
            codec,
        } = store;
        let Opened {
            bucket,
            clock,
            behind,
        } = opened;
        let Wrapped {
            mut bucket,
            metered,
        } = Wrapped::new(bucket, &clock, location.is_far(), globals.bill);
        let place = location.to_string();
        let entropy = Arc::new(OsEntropy::new());
        let store = Arc::clone(&bucket);
        let random = Arc::clone(&entropy) as Arc<dyn Entropy>;
        bucket = Arc::new(Coded::new(bucket, codec, random));
        let sticky = usize::from(globals.sticky) << 20;
        if sticky > 0 {
            // Outside the codec: what is kept is decoded once.
            bucket = Arc::new(Remembered::new(bucket, sticky));
        }
        if how.stays {
            let say = streams.clone();
            let say = Arc::new(move |text: &str| say.note(text));
            bucket = Arc::new(Reported::new(bucket, place.clone(), say));
        }
        let host = host(environment, &*entropy);
        let what = "threads";
        let spawner = TokioSpawner::current()
            .with_attempts_apart()
            .map_err(|source| Error::System { what, source })?;
        let wakeups = bell(&location, &*entropy, how.works);
        let ports = Ports {
            bucket,
            clock,
            entropy,
            wakeups,
            spawner: Arc::new(spawner),
        };
        let mut settings = Settings {
            sticky,
            ..Settings::default()
        };
        if let Some(ttl) = globals.ttl.or(environment.ttl) {
            settings.ttl = ttl;
        }
        let name = globals.actor.clone().or_else(|| environment.user.clone());
        Ok(Self {
            engine: Engine::with_settings(ports, app, host, settings)?,
            actor: match name {
                Some(name) => Actor::human(name),
                None => Actor::new(ActorKind::System, "cli"),
            },
            streams,
            place,
            private: location == Location::Memory,
            far: location.is_far(),
            behind,
            store,
            retention: environment.retention(),
            metered,
        })
    }
}

/// The doorbell of the bucket's machine, where it has one. Without it causes of other processes
/// are found by looking.
fn bell(location: &Location, entropy: &dyn Entropy, hears: bool) -> Arc<dyn Wakeups> {
    #[cfg(unix)]
    if let Some(folder) = location.bells() {
        let bell = SocketDoorbell::new(folder.clone());
        if !hears {
            return Arc::new(bell);
        }
        match bell.listen(entropy) {
            Ok(bell) => return Arc::new(bell),
            Err(error) => {
                let folder = folder.display();
                tracing::warn!(%error, %folder, "no doorbell: other processes' causes are found later");
            }
        }
    }
    Arc::new(Doorbell::default())
}
