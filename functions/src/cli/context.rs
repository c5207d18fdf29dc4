//! What every command on a bucket uses.

use std::sync::Arc;

use millpond::client::{Engine, RetentionSettings};
use millpond::domain::{Actor, ActorKind};
use millpond::ports::Bucket;
use millpond::settings::Settings;
use millpond_codec::Pond;
use millpond_wrappers::{Metered, Remembered};

use super::error::Error;
use super::invocation::Invocation;
use super::needs::Needs;
use super::streams::Streams;
use crate::assembly::{Assembly, Opening};
use crate::bucket::{Behind, Reported};
use crate::doorbell::doorbell;

/// The bucket that is used if none is named.
const DEFAULT: &str = "sqlite:./pond.db";

/// An engine on the bucket, the actor, and the streams for output.
pub(crate) struct CommandContext {
    pub(crate) engine: Engine,
    pub(crate) actor: Actor,
    pub(crate) streams: Streams,
    /// The bucket's URL.
    pub(crate) url: String,
    /// Whether the bucket is gone when this process ends.
    pub(crate) ephemeral: bool,
    /// The bucket without the codec: what probes read.
    pub(crate) store: Arc<dyn Bucket>,
    /// The pond of the bucket, if its objects are encrypted.
    pub(crate) pond: Option<Arc<Pond>>,
    /// The count of its requests.
    pub(crate) metered: Arc<Metered>,
    /// Whether its requests go over a network, and are billed.
    pub(crate) far: bool,
    /// What operators can ask of the store, beyond the port.
    pub(crate) behind: Behind,
    /// The default delays of `retention`.
    pub(crate) retention: RetentionSettings,
}

impl CommandContext {
    /// Opens the bucket as a command needs it.
    ///
    /// # Errors
    /// The URL names no bucket, it cannot be opened, or the application is inconsistent.
    pub(super) async fn open(invocation: Invocation<'_>, needs: Needs) -> Result<Self, Error> {
        let location = invocation.location()?.map_or_else(|| DEFAULT.parse(), Ok)?;
        let (globals, environment) = (invocation.globals, invocation.environment);
        let keyring = globals.keyring.as_deref();
        let opening = Opening {
            compress: globals.compress || environment.compress,
            keyring: keyring.or(environment.keyring.as_deref()),
            fsync: !globals.no_fsync,
            create: needs.create,
            check: needs.check,
        };
        let assembly = Assembly::open(location, opening).await?;
        Self::over(assembly, invocation, needs)
    }

    /// The same over a bucket that is already open.
    ///
    /// # Errors
    /// The application is inconsistent.
    pub(super) fn over(
        mut assembly: Assembly,
        invocation: Invocation<'_>,
        needs: Needs,
    ) -> Result<Self, Error> {
        let Invocation {
            app,
            globals,
            environment,
            streams,
            meter,
        } = invocation;
        if globals.bill {
            meter.attach(Arc::clone(&assembly.metered));
        }
        let url = assembly.location.to_string();
        let sticky = usize::from(globals.sticky) << 20;
        if sticky > 0 {
            // Outside the codec: what is kept is decoded once.
            assembly = assembly.wrap(|bucket| Arc::new(Remembered::new(bucket, sticky)));
        }
        if needs.retries {
            let (url, notes) = (url.clone(), streams.clone());
            let report = Arc::new(move |text: &str| notes.note(text));
            assembly = assembly.wrap(|bucket| Arc::new(Reported::new(bucket, url, report)));
        }
        let mut settings = Settings {
            sticky,
            queues: environment.queues.clone(),
            ..Settings::default()
        };
        if let Some(ttl) = globals.ttl.or(environment.ttl) {
            settings.ttl = ttl;
        }
        let wakeups = doorbell(&assembly, needs.notifications);
        let name = globals.actor.clone().or_else(|| environment.user.clone());
        Ok(Self {
            engine: assembly.engine(app, environment, settings, wakeups)?,
            actor: match name {
                Some(name) => Actor::human(name),
                None => Actor::new(ActorKind::System, "cli"),
            },
            streams: streams.clone(),
            url,
            ephemeral: assembly.location.is_private(),
            far: assembly.location.is_far(),
            metered: assembly.metered,
            pond: assembly.pond,
            behind: assembly.behind,
            store: assembly.store,
            retention: environment.retention(),
        })
    }
}
