//! What the invocations of a function share. It is created once, at the start, without a request.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use millpond::client::{App, Engine, RetentionSettings};
use millpond::domain::Queue;
use millpond::ports::{Clock, Doorbell, Wakeups};
use millpond::settings::Settings;
use millpond_host::InProgress;
use millpond_s3::S3Bucket;
use millpond_wakeups::sqs::SqsWakeups;
use millpond_wrappers::Metered;

use super::deployment::{Deployment, Role};
use super::failed::Failed;
use crate::assembly::{Assembly, Opening};
use crate::bucket::Location;
use crate::environment::Environment;
use crate::roles::{Cursor, Root, Seen, Starter};
use crate::triggers::{Rules, Secrets};

/// Longest wait for hints in flight before the function answers.
const FLUSH: Duration = Duration::from_secs(6);
/// Longest wait for work that has been aborted to end.
const REST: Duration = Duration::from_millis(100);
/// Interval at which it is counted.
const LOOK: Duration = Duration::from_millis(2);
/// Time reserved for the answer itself.
const ANSWER: Duration = Duration::from_millis(200);

/// The starter with its rules, and the time of the monotonic clock when they were read.
pub(super) type CachedStarter = tokio::sync::Mutex<Option<(Duration, Arc<Starter>)>>;

/// The engine, and what the roles need beside it.
pub(super) struct Cloud {
    pub(super) engine: Engine,
    pub(super) root: Root,
    pub(super) deployment: Deployment,
    /// The bucket as an S3 client.
    pub(super) s3: Arc<S3Bucket>,
    /// Rules in code.
    pub(super) rules: Rules,
    /// The file of rules, if they are not in the bucket.
    pub(super) triggers: Option<PathBuf>,
    pub(super) secrets: Secrets,
    pub(super) starter: CachedStarter,
    /// The mail that the worker has recently served.
    pub(super) seen: Seen,
    /// The position of the sweeper, for the lifetime of this process.
    pub(super) cursor: Cursor,
    /// The delays of retention.
    pub(super) retention: RetentionSettings,
    metered: Arc<Metered>,
    in_progress: InProgress,
    wakeups: Option<SqsWakeups>,
    warm: AtomicBool,
}

/// A sweeper without any queue to notify.
#[derive(Debug, thiserror::Error)]
#[error(
    "the sweeper has no queue to send hints to: set MILLPOND_QUEUES, for example to default=URL"
)]
struct NoQueues;

/// A bucket that AWS events cannot refer to.
#[derive(Debug, thiserror::Error)]
#[error(
    "the bucket is not in S3, which Lambda requires: set MILLPOND_BUCKET to s3://bucket/prefix: value={0:?}"
)]
struct NotS3(String);

impl Cloud {
    /// Opens the bucket that the environment names.
    ///
    /// # Errors
    /// A variable is missing or invalid, or the application is inconsistent.
    pub(super) async fn open(
        app: App,
        rules: Rules,
        environment: &Environment,
        deployment: Deployment,
    ) -> Result<Self, Failed> {
        if deployment.role == Role::Sweeper && deployment.queues.is_empty() {
            return Err(NoQueues.into());
        }
        let url = environment.bucket.clone().unwrap_or_default();
        let location = match url.is_empty() {
            true => return Err(NotS3(url).into()),
            false => url.parse::<Location>()?,
        };
        let (bucket, prefix) = location.root().ok_or(NotS3(url))?;
        let root = Root {
            bucket: bucket.to_owned(),
            prefix: prefix.to_owned(),
        };
        let opening = Opening {
            compress: environment.compress,
            keyring: environment.keyring.as_deref(),
            fsync: true,
            create: false,
            check: false,
        };
        let assembly = Assembly::open(location, opening).await?;
        let location = &assembly.location;
        let s3 = assembly
            .behind
            .s3()
            .ok_or_else(|| NotS3(location.to_string()))?;
        let metered = Arc::clone(&assembly.metered);
        let sqs = wakeups(&deployment, &assembly.clock).await?;
        let wakeups: Arc<dyn Wakeups> = match &sqs {
            Some(sqs) => Arc::new(sqs.clone()),
            None => Arc::new(Doorbell::default()),
        };
        let mut settings = Settings {
            queues: deployment.queues.keys().cloned().collect(),
            ..Settings::default()
        };
        if let Some(ttl) = environment.ttl {
            settings.ttl = ttl;
        }
        Ok(Self {
            engine: assembly.engine(app, environment, settings, wakeups)?,
            root,
            deployment,
            s3,
            rules,
            triggers: environment.triggers.clone(),
            secrets: environment.webhook_secrets.clone().unwrap_or_default(),
            starter: CachedStarter::default(),
            seen: Seen::default(),
            cursor: Cursor::default(),
            retention: environment.retention(),
            metered,
            in_progress: assembly.in_progress,
            wakeups: sqs,
            warm: AtomicBool::new(false),
        })
    }

    pub(super) const fn role(&self) -> Role {
        self.deployment.role
    }

    pub(super) fn clock(&self) -> &Arc<dyn Clock> {
        &self.engine.ports().clock
    }

    /// Whether this is the first call of this method: the first invocation of the process.
    pub(super) fn is_cold(&self) -> bool {
        !self.warm.swap(true, Ordering::Relaxed)
    }

    pub(super) fn metered(&self) -> &Metered {
        &self.metered
    }

    /// Waits until hints are sent, but no longer than `left` allows: hints in flight when the process
    /// freezes may be lost. Returns whether all were sent.
    pub(super) async fn flush(&self, left: Duration) -> bool {
        let Some(wakeups) = &self.wakeups else {
            return true;
        };
        let limit = FLUSH.min(left.saturating_sub(ANSWER));
        let sent = tokio::time::timeout(limit, wakeups.flush()).await.is_ok();
        if !sent {
            tracing::warn!("some hints are not sent yet: the sweeper sends them again");
        }
        sent
    }

    /// Waits briefly for tasks, attempts and blocking work to end; returns whether all have. What is left
    /// would continue in a later invocation, when its lease has expired and others have taken over.
    pub(super) async fn is_at_rest(&self, left: Duration) -> bool {
        let limit = REST.min(left.saturating_sub(ANSWER));
        at_rest(&self.in_progress, limit).await
    }

    /// Hints that could not be sent so far.
    pub(super) fn unsent(&self) -> u64 {
        self.wakeups.as_ref().map_or(0, SqsWakeups::unsent)
    }

    /// Queues without a URL for which hints were dropped since the last call.
    pub(super) fn take_unknown(&self) -> BTreeSet<Queue> {
        let wakeups = self.wakeups.as_ref();
        wakeups.map(SqsWakeups::take_unknown).unwrap_or_default()
    }
}

/// Waits up to `limit` until nothing is in progress; returns whether that is so.
pub(super) async fn at_rest(in_progress: &InProgress, limit: Duration) -> bool {
    let ended = async {
        while in_progress.count() > 0 {
            tokio::time::sleep(LOOK).await;
        }
    };
    in_progress.count() == 0 || tokio::time::timeout(limit, ended).await.is_ok()
}

async fn wakeups(
    deployment: &Deployment,
    clock: &Arc<dyn Clock>,
) -> Result<Option<SqsWakeups>, Failed> {
    if deployment.queues.is_empty() {
        return Ok(None);
    }
    let (urls, reach) = (deployment.queues.clone(), deployment.sweep);
    let opened = SqsWakeups::open(urls, reach, Arc::clone(clock)).await?;
    Ok(Some(opened))
}
