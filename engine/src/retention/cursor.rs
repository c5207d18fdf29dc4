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

use crate::journal::{LoadError, sum};
use crate::keys::{self, FeedKey, Key};
use crate::ports::{BucketError, Expect, Fault, Outcome, Ports, Version};

const FORMAT: u32 = 1;

/// Tries against other passes.
const TURNS: u32 = 8;

/// Where a pass goes on.
#[derive(Debug)]
pub(super) struct Cursor {
    stored: Stored,
    version: Option<Version>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
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
        let key = keys::retention();
        let Some(found) = ports.read(&key).await? else {
            let stored = Stored {
                format: FORMAT,
                nonce: String::new(),
                archived: None,
                expired: None,
            };
            let version = None;
            return Ok(Self { stored, version });
        };
        let stored = Stored::decode(&key, &found.body)?;
        Ok(Self {
            stored,
            version: Some(found.version),
        })
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
        let (mut attempt, mut turns) = (0, 0);
        loop {
            let next = self.stored.with(side, at, nonce.clone());
            let expect = self.version.clone().map_or(Expect::Absent, Expect::At);
            let error = match ports.bucket.write(&key, next.encode(), expect).await {
                Ok(Outcome::Landed(version)) => {
                    self.version = Some(version);
                    self.stored = next;
                    return Ok(());
                }
                Ok(Outcome::Refused | Outcome::Unknown) => {
                    let before = self.version.take();
                    *self = Self::load(ports).await?;
                    if self.stored.nonce == nonce {
                        return Ok(()); // it was our own
                    }
                    turns += 1;
                    if self.version != before && turns < TURNS {
                        continue;
                    }
                    BucketError::new(Fault::Unavailable, "write", &key)
                        .because("not answered, or refused wrongly, several times")
                }
                Err(error) => error,
            };
            ports.retry(&mut attempt, error).await?;
        }
    }
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

    fn encode(&self) -> bytes::Bytes {
        sum::add(serde_json::to_vec(self).expect("keys and numbers are JSON"))
    }

    fn decode(key: &Key, body: &[u8]) -> Result<Self, LoadError> {
        let corrupt = |why: String| LoadError::Corrupt {
            key: key.clone(),
            why,
        };
        if !sum::holds(body) {
            return Err(corrupt(sum::BROKEN.to_owned()));
        }
        let stored: Self = serde_json::from_slice(body).map_err(|e| corrupt(e.to_string()))?;
        if stored.format > FORMAT {
            let (key, format, known) = (key.clone(), stored.format, FORMAT);
            return Err(LoadError::Newer { key, format, known });
        }
        let mut named = stored.archived.iter().chain(&stored.expired);
        match named.find(|key| FeedKey::parse(key).is_none()) {
            Some(other) => Err(corrupt(format!(
                "it names {other}, which is no feed object"
            ))),
            None => Ok(stored),
        }
    }
}
