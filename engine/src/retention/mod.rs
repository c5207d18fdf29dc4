//! Retention: archives finished executions, and expires them later (docs/protocol.md, Retention).
//!
//! One pass walks the feed in order of time. Executions older than the first delay are
//! **archived**:
//!
//! (1) Read the head. Continue only if the execution is over, and the feed reports its last
//! commit: the feed object is the last effect, so the outbox is then dispatched. (2) Write the
//! archive. (3) Replace the head by a tombstone. (4) Delete everything else under its prefix.
//! (5) Report `execution.archived`.
//!
//! Once its key is **free**, some time after the end, what is left of an execution is deleted: its
//! prefix is listed once more, then its feed objects are deleted. The archive and the tombstone
//! stay.
//!
//! - **I10** Afterwards only the tombstone is left under `x/{eid}`, and the archive is complete.
//! - **\[R\] A9** (2) before (3) before (4), and (3) is a compare-and-swap of the head that was
//!   archived. If it is refused, the execution was reopened, and is left alone.
//! - **\[R\]** A pass that finds a tombstone continues only if that is of the commit that its feed
//!   object names.
//! - **A pass holds no lease**, and may be as slow as it likes: no other execution ever has this
//!   id. Two concurrent ones repeat work, and each step has its effect once. If a pass is killed
//!   at any point, the next one continues: after (2) there is an archive and a live head, which
//!   is archived again; after (3) a tombstone that the feed does not report, which is finished.
//!
//! The position is in `cursors/retention`. Price: 4 P for each execution archived (archive,
//! tombstone, list, feed), 1 G for each one walked, + its segments and large values; 1 P for each
//! one freed (list); 1 P for each [`PAGE`] feed objects, and 1 P for the cursor.

mod archive;
mod cursor;
mod expire;
pub(crate) mod finish;
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

/// Feed objects in a page: the cursor is stored after each page.
const PAGE: usize = 100;

/// Counts of what one pass did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Retained {
    /// Executions examined, counted once for each page of the feed that reports them.
    pub walked: usize,
    /// Executions that were archived.
    pub archived: usize,
    /// Tombstones completed that an earlier, killed pass had left.
    pub finished: usize,
    /// Executions that were written to meanwhile: left as they are.
    pub left: usize,
    /// Executions that cannot be read completely: left as they are, and logged.
    pub broken: usize,
    /// Executions of which nothing but archive and tombstone is left: their keys are free.
    pub freed: usize,
    /// Feed objects deleted.
    pub expired: usize,
    /// Whether the pass stopped early: another pass continues.
    pub more: bool,
}

impl Retained {
    /// Adds two counts; `more` is that of the later one.
    #[must_use]
    fn and(self, later: &Self) -> Self {
        Self {
            walked: self.walked + later.walked,
            archived: self.archived + later.archived,
            finished: self.finished + later.finished,
            left: self.left + later.left,
            broken: self.broken + later.broken,
            freed: self.freed + later.freed,
            expired: self.expired + later.expired,
            more: later.more,
        }
    }
}

/// Why a pass ended early. Nothing is lost: the next one continues.
#[derive(Debug, thiserror::Error)]
pub enum RetentionError {
    /// A setting is invalid: nothing was done.
    #[error(transparent)]
    Settings(#[from] RetentionSettingsError),
    /// The store failed, or the cursor cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// It is unknown whether a tombstone was written.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// Other passes or starters have changed a tombstone, several times.
    #[error(
        "the tombstone of {eid} was changed concurrently, several times; the next pass continues"
    )]
    Contended {
        /// The execution.
        eid: crate::domain::ExecutionId,
    },
}

impl From<BucketError> for RetentionError {
    fn from(error: BucketError) -> Self {
        Self::Load(error.into())
    }
}

/// Archives executions that are over, and expires them later.
#[derive(Debug)]
pub struct Retention {
    core: Arc<Core>,
    settings: RetentionSettings,
}

impl Retention {
    /// Creates retention for this engine.
    ///
    /// # Errors
    /// [`RetentionSettingsError`] names the invalid setting.
    pub fn new(
        engine: &Engine,
        settings: RetentionSettings,
    ) -> Result<Self, RetentionSettingsError> {
        settings.check()?;
        Ok(Self {
            core: Arc::clone(engine.core()),
            settings,
        })
    }

    /// Makes one pass, up to [`RetentionSettings::most`] executions, or until `stop`: executions
    /// in progress are then completed. The header of this module lists the price.
    ///
    /// # Errors
    /// [`RetentionError`]: the next pass continues from there.
    pub async fn pass(&self, stop: &Notice) -> Result<Retained, RetentionError> {
        let (ports, now) = (&self.core.ports, self.core.ports.clock.now());
        let mut cursor = Cursor::load(ports).await?;
        let before = |age: Duration| {
            let age = jiff::SignedDuration::try_from(age).unwrap_or(jiff::SignedDuration::MAX);
            keys::feed_before(now.checked_sub(age).unwrap_or(jiff::Timestamp::MIN))
        };
        let (old, ancient) = (
            before(self.settings.after),
            before(self.settings.free_after),
        );
        let mut walk = Walk {
            core: &self.core,
            settings: &self.settings,
            stop,
            now,
            retained: Retained::default(),
            busy: 0,
        };
        // A writer whose clock lags adds feed objects with old instants: the cursor waits for
        // them.
        let dispatched = before(self.settings.after.max(Walk::LAG));
        let archive = Stage::Archive { dispatched };
        if walk.along(&archive, &mut cursor, &old).await? {
            // Only feed objects that the archive walk has passed are expired.
            walk.along(&Stage::Expire, &mut cursor, &ancient.min(old))
                .await?;
        }
        Ok(walk.retained)
    }

    /// Makes passes until nothing is left to do, or until `stop`. Returns their sum.
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

    /// Makes passes every `period` until `stop`, and calls `report` with the sum of each period.
    /// Store errors are logged and retried.
    pub async fn run(&self, period: Duration, stop: &Notice, report: impl Fn(&Retained)) {
        use futures::FutureExt as _;
        let mut failed = false;
        while !stop.is_set() {
            match self.passes(stop).await {
                Ok(retained) => {
                    failed = false;
                    report(&retained);
                }
                // Logged once per outage.
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
