//! The position of retention in the feed: `cursors/retention`, created once, replaced by
//! compare-and-swap, never deleted.
//!
//! - Everything before `archived` was processed to its end by some pass, so this position only
//!   moves forward: of two concurrent passes, the further one counts.
//! - `expired` is the position within a round of expiry; at its end the next round starts from
//!   the beginning, since objects that could not be deleted yet remain behind it.
//! - The cursor saves requests, and correctness does not depend on it: without it, or with an old
//!   one, a pass reads more than it needs to.

use serde::{Deserialize, Serialize};

use crate::keys::{self, FeedKey, Key};
use crate::ports::{Object, Ports};
use crate::stored::{self, Amended, Change, Document, LoadError};

/// The position at which a pass continues.
#[derive(Debug)]
pub(super) struct Cursor {
    stored: Stored,
    /// The object that contains `stored`.
    seen: Option<Object>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Stored {
    format: u32,
    /// Identifies this write: it is the same in all its attempts.
    nonce: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    archived: Option<Key>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expired: Option<Key>,
}

/// The two walks of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Archived,
    Expired,
}

impl Cursor {
    /// Reads the cursor. 1 G.
    ///
    /// # Errors
    /// The store failed; the object is corrupt, or a later release wrote it.
    pub(super) async fn load(ports: &Ports) -> Result<Self, LoadError> {
        let seen = ports.read(&keys::retention()).await?;
        let stored = Stored::of(seen.as_ref())?;
        Ok(Self { stored, seen })
    }

    /// Returns the key after which a walk continues.
    pub(super) fn at(&self, side: Side) -> Option<&Key> {
        match side {
            Side::Archived => self.stored.archived.as_ref(),
            Side::Expired => self.stored.expired.as_ref(),
        }
    }

    /// Stores the position of a walk. 1 P; 1 G and 1 P more for each concurrent write by another
    /// pass.
    ///
    /// # Errors
    /// The store failed, or other passes were faster in each attempt.
    pub(super) async fn keep(
        &mut self,
        ports: &Ports,
        side: Side,
        at: Option<&Key>,
    ) -> Result<(), LoadError> {
        let (key, nonce) = (keys::retention(), ports.entropy.nonce());
        let seen = self.seen.take();
        let amended = stored::amend(ports, &key, seen, |seen| {
            let stored = Stored::of(seen)?;
            Ok(match stored.nonce == nonce {
                true => Change::Done(()),
                false => Change::Write(stored.with(side, at, nonce.clone()).encode()),
            })
        });
        self.seen = match amended.await? {
            Amended::Written(object) => Some(object),
            Amended::Done((), object) => object,
        };
        self.stored = Stored::of(self.seen.as_ref())?;
        Ok(())
    }
}

impl Document for Stored {
    const FORMAT: u32 = 1;
}

impl Stored {
    fn with(&self, side: Side, at: Option<&Key>, nonce: String) -> Self {
        let mut next = Self {
            nonce,
            ..self.clone()
        };
        match side {
            Side::Archived => next.archived = next.archived.max(at.cloned()),
            Side::Expired => next.expired = at.cloned(),
        }
        next
    }

    /// Decodes the object; returns an empty cursor if there is none.
    fn of(object: Option<&Object>) -> Result<Self, LoadError> {
        let Some(object) = object else {
            return Ok(Self {
                format: Self::FORMAT,
                ..Self::default()
            });
        };
        let key = keys::retention();
        let stored: Self = stored::decode(&key, &object.body)?;
        let mut named = stored.archived.iter().chain(&stored.expired);
        match named.find(|key| FeedKey::parse(key).is_none()) {
            Some(other) => Err(LoadError::corrupt(
                &key,
                format_args!("it names {other}, which is no feed object"),
            )),
            None => Ok(stored),
        }
    }
}
