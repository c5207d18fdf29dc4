//! Retention: archives finished executions, and expires them in time (docs/protocol.md, Retention).
//!
//! One pass walks the feed in order of time. What is older than the first delay is **archived**:
//!
//! (1) Read the head. Only if it is over, and its commit is the one that the feed has told of:
//! the feed object is the last effect, so then the outbox is dispatched. (2) Write the archive.
//! (3) Replace the head by a tombstone. (4) Delete everything else under its prefix. (5) Tell
//! `execution.archived`.
//!
//! What is older than the second delay is **expired**: once the tombstone is that old, whoever
//! has marked it deletes its prefix once more, and last of all the tombstone; then its feed
//! objects go. The archive stays.
//!
//! - **I10** After it only the tombstone is left under `x/{eid}`, and the archive is whole.
//! - **\[R\] A9** (2) before (3) before (4), and (3) is a compare-and-swap of the head that was
//!   archived. Refused: somebody re-opened it; it is left.
//! - **\[R\]** A tombstone stays longer than any sender tries: the second delay is at least
//!   [`RetentionSettings::least_purge`], and what retention deletes it deletes well within that.
//! - **A pass is no holder.** Two at once do the same work twice, each step of it once. Killed
//!   anywhere, the next one goes on: after (2) an archive beside a live head, which is archived
//!   again; after (3) a tombstone of which the feed does not tell, which is finished; after the
//!   mark a tombstone that another pass may purge later.
//!
//! Where it was is in `cursors/retention`. Price: 4 P for each execution archived (archive,
//! tombstone, list, feed), 1 G for each that is walked, + its segments and large values; 2 P for
//! each that is purged (mark, list); 1 P for each [`PAGE`] feed objects, and 1 P for the cursor.

mod archive;
mod cursor;
mod expire;
mod finish;
mod settings;
mod walk;

pub use settings::{RetentionSettings, RetentionSettingsError};

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use self::cursor::Cursor;
use self::walk::{Stage, Walk};
use crate::client::Engine;
use crate::journal::CommitError;
use crate::keys;
use crate::ports::BucketError;
use crate::process::{Core, Notice, STORE};
use crate::stored::LoadError;

/// Feed objects in a page: the cursor is kept behind each.
const PAGE: usize = 100;

/// What one pass did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Retained {
    /// Executions looked at, each time the feed told of them in a page.
    pub walked: usize,
    /// Executions archived into their archive.
    pub archived: usize,
    /// Tombstones of an earlier pass that was killed, brought to their end.
    pub finished: usize,
    /// Executions that somebody has written to meanwhile: left as they are.
    pub left: usize,
    /// Executions that cannot be read whole: left as they are, and said in the log.
    pub broken: usize,
    /// Tombstones purged.
    pub purged: usize,
    /// Feed objects deleted.
    pub expired: usize,
    /// Whether it stopped before its end: another pass goes on.
    pub more: bool,
}

impl Retained {
    /// Both together: the later one says whether there is more.
    #[must_use]
    fn and(self, later: &Self) -> Self {
        Self {
            walked: self.walked + later.walked,
            archived: self.archived + later.archived,
            finished: self.finished + later.finished,
            left: self.left + later.left,
            broken: self.broken + later.broken,
            purged: self.purged + later.purged,
            expired: self.expired + later.expired,
            more: later.more,
        }
    }
}

/// Why a pass ended early. Nothing is lost: the next one goes on.
#[derive(Debug, thiserror::Error)]
pub enum RetentionError {
    /// A setting is no good: nothing was done.
    #[error(transparent)]
    Settings(#[from] RetentionSettingsError),
    /// The store failed, or the cursor cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// Whether a tombstone was written is not known.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// Deleting took longer than a tombstone may rely on.
    #[error("deleting what execution {eid} has left took too long; the next pass goes on")]
    Late {
        /// The execution.
        eid: crate::domain::ExecutionId,
    },
}

impl From<BucketError> for RetentionError {
    fn from(error: BucketError) -> Self {
        Self::Load(error.into())
    }
}

/// Archives what is over, and expires it in time.
#[derive(Debug)]
pub struct Retention {
    core: Arc<Core>,
    settings: RetentionSettings,
}

impl Retention {
    /// Retention of this engine.
    ///
    /// # Errors
    /// [`RetentionSettingsError`] names the setting that is no good.
    pub fn new(
        engine: &Engine,
        settings: RetentionSettings,
    ) -> Result<Self, RetentionSettingsError> {
        settings.check(engine.core().settings.ttl)?;
        Ok(Self {
            core: Arc::clone(engine.core()),
            settings,
        })
    }

    /// One pass, up to [`RetentionSettings::most`] executions, or until `stop`: what is under
    /// way then is brought to its end. See the head of this module for what it costs.
    ///
    /// # Errors
    /// [`RetentionError`]: the next pass goes on from there.
    pub async fn pass(&self, stop: &Notice) -> Result<Retained, RetentionError> {
        let (ports, now) = (&self.core.ports, self.core.ports.clock.now());
        let mut cursor = Cursor::load(ports).await?;
        let before = |age: Duration| {
            let age = jiff::SignedDuration::try_from(age).unwrap_or(jiff::SignedDuration::MAX);
            keys::feed_before(now.checked_sub(age).unwrap_or(jiff::Timestamp::MIN))
        };
        let (old, ancient) = (before(self.settings.after), before(self.settings.purge));
        let mut walk = Walk {
            core: &self.core,
            settings: &self.settings,
            stop,
            now,
            retained: Retained::default(),
            busy: 0,
        };
        // A writer whose clock lags tells later what happened earlier: the cursor waits for it.
        let dispatched = before(self.settings.after.max(Walk::LAG));
        let archive = Stage::Archive { dispatched };
        if walk.along(&archive, &mut cursor, &old).await? {
            // What a archive has not looked at yet is not expired.
            walk.along(&Stage::Expire, &mut cursor, &ancient.min(old))
                .await?;
        }
        Ok(walk.retained)
    }

    /// Passes until nothing is left to do, or until `stop`: together what one of them did.
    ///
    /// # Errors
    /// As [`Retention::pass`].
    pub async fn passes(&self, stop: &Notice) -> Result<Retained, RetentionError> {
        let mut all = Retained::default();
        loop {
            let pass = self.pass(stop).await?;
            all = all.and(&pass);
            if !pass.more || stop.is_set() {
                return Ok(all);
            }
        }
    }

    /// Passes every `period` until `stop`; `tell` hears of what each time did. Trouble with the
    /// store is logged and tried again.
    pub async fn run(&self, period: Duration, stop: &Notice, tell: impl Fn(&Retained)) {
        use futures::FutureExt as _;
        let mut failed = false;
        while !stop.is_set() {
            match self.passes(stop).await {
                Ok(retained) => {
                    failed = false;
                    tell(&retained);
                }
                // Said once until it is over.
                Err(error) => {
                    if !std::mem::replace(&mut failed, true) {
                        let error = crate::process::chain(&error);
                        tracing::warn!(target: STORE, %error, "retention failed; it is tried again");
                    }
                }
            }
            futures::select_biased! {
                () = stop.wait().fuse() => {}
                () = self.core.ports.clock.sleep(period).fuse() => {}
            }
        }
    }
}
