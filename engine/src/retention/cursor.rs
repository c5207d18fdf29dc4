//! How far the feed was walked: `cursors/retention`, created once, replaced by compare-and-swap,
//! never deleted.
//!
//! - Everything before `archived` was looked at by somebody who brought it to its end, so it only
//!   ever moves on: of two passes at once the further one counts.
//! - `expired` is where a round of forgetting is; at its end it begins again, since what could not
//!   go yet stays behind it.
//! - It saves requests, and nothing rests on it: without it, or with one from the past, a pass
//!   looks at more than it needs to.

use serde::{Deserialize, Serialize};

use crate::keys::{self, FeedKey, Key};
use crate::ports::{Object, Ports};
use crate::stored::{self, Amended, Change, Document, LoadError};

/// Where a pass goes on.
#[derive(Debug)]
pub(super) struct Cursor {
    stored: Stored,
    /// The object that holds `stored`.
    seen: Option<Object>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Stored {
    format: u32,
    /// Names this write: the same in all attempts at it.
    nonce: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    archived: Option<Key>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expired: Option<Key>,
}

/// Which of the two walks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Archived,
    Expired,
}

impl Cursor {
    /// Reads it. 1 G.
    ///
    /// # Errors
    /// The store failed; it is not what was written, or a later release's.
    pub(super) async fn load(ports: &Ports) -> Result<Self, LoadError> {
        let seen = ports.read(&keys::retention()).await?;
        let stored = Stored::of(seen.as_ref())?;
        Ok(Self { stored, seen })
    }

    /// Behind which key a walk goes on.
    pub(super) fn at(&self, side: Side) -> Option<&Key> {
        match side {
            Side::Archived => self.stored.archived.as_ref(),
            Side::Expired => self.stored.expired.as_ref(),
        }
    }

    /// Keeps where a walk is. 1 P; 1 G and 1 P more for each other pass that came between.
    ///
    /// # Errors
    /// The store failed, or other passes are always faster.
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

    /// What an object holds; nothing yet, where there is none.
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
