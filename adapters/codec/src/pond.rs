//! The pond: the object `pond` at the root of the bucket, whose id is authenticated with every
//! encrypted object (C1). It is plain JSON.
//!
//! The first writer (1) reads `pond`, (2) lists one key of `x/` and one of `mail/`, (3) creates the
//! object if it is absent. A writer whose create is refused, or whose reply is lost, reads the object
//! that is stored and uses that.
//!
//! - **C4** It is created under an empty root only. If objects exist without it, it was lost: under
//!   another id none of them could be decrypted. [`Pond::restore`] creates it again. The bad
//!   interleaving: somebody deletes `pond`; a worker creates it with another id; what one process
//!   writes, no other can read.
//! - **C6** It is restored only with an id under which an encrypted object of the bucket can be read.
//! - **C5** A failed read is an error. It never counts as an absent object.
//! - **Crash** between (2) and (3): nothing was written. After (3): the next process reads it.
//!
//! Price: 1 G for each process with a keyring, before its first other request; for the first writer 2 P
//! for the lists and 1 P more.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use jiff::Timestamp;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, BucketError, Clock, Entropy, Expect, Fault, Outcome, Verb};
use serde::{Deserialize, Serialize};

use crate::codec::{Codec, Undecoded};

/// The version of the stored form.
const FORMAT: u32 = 1;
/// The key of the object.
const KEY: &str = "pond";
/// The objects of each folder that are read to check an id.
const CHECKED: usize = 100;
/// The folders whose objects show that the bucket was used.
const USED: [&str; 2] = ["x/", "mail/"];

/// The id of a pond: 128 random bits, as 32 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PondId(u128);

/// A text that is not the id of a pond.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid id of a pond: it is not 32 hex digits: value={0:?}")]
pub struct InvalidPondId(String);

/// The pond of one bucket.
#[derive(Debug)]
pub struct Pond {
    bucket: Arc<dyn Bucket>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    codec: Codec,
    id: OnceLock<PondId>,
    /// Whether the object was read, also if it was absent.
    read: AtomicBool,
}

/// The stored object.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    format: u32,
    id: PondId,
    created_at: Timestamp,
}

/// Why the pond cannot be used.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error(
        "the object is missing although the bucket contains executions: none of them can be decrypted \
         without its id; restore it: doctor --pond ID"
    )]
    Lost,
    #[error("it cannot be read; restore it from a backup, or delete it and restore its id: {0}")]
    Unreadable(#[from] serde_json::Error),
    #[error("it is of a later release: format={0}")]
    Newer(u32),
    #[error("it has another id: id={0}")]
    Other(PondId),
    #[error(
        "an object cannot be decrypted under this id; give the id that doctor printed: key={0}"
    )]
    Wrong(String),
    #[error("this id cannot be checked by an object of the bucket: {1}: key={0}")]
    Unproven(String, Undecoded),
    #[error("it was written, and is not there")]
    Vanished,
}

impl PondId {
    pub(crate) fn bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }
}

impl fmt::Display for PondId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for PondId {
    type Err = InvalidPondId;

    fn from_str(text: &str) -> Result<Self, InvalidPondId> {
        let hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let id = u128::from_str_radix(text, 16).ok().filter(|_| hex);
        id.map(Self).ok_or_else(|| InvalidPondId(text.to_owned()))
    }
}

impl TryFrom<String> for PondId {
    type Error = InvalidPondId;

    fn try_from(text: String) -> Result<Self, InvalidPondId> {
        text.parse()
    }
}

impl From<PondId> for String {
    fn from(id: PondId) -> Self {
        id.to_string()
    }
}

impl Pond {
    /// The pond of `bucket`, which must not encode what it stores; `codec` decrypts what is encoded.
    #[must_use]
    pub fn new(
        bucket: Arc<dyn Bucket>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        codec: Codec,
    ) -> Self {
        Self {
            bucket,
            clock,
            entropy,
            codec,
            id: OnceLock::new(),
            read: AtomicBool::new(false),
        }
    }

    /// Whether this is the key of the object.
    pub(crate) fn is_at(key: &Key) -> bool {
        key.as_str() == KEY
    }

    /// Returns the id; `None` if the bucket has no pond. 1 G, once.
    ///
    /// # Errors
    /// The store failed, or the object cannot be read.
    pub async fn id(&self) -> Result<Option<PondId>, BucketError> {
        if let Some(id) = self.id.get() {
            return Ok(Some(*id));
        }
        let found = self.bucket.read(&key()).await?;
        self.read.store(true, Ordering::Relaxed);
        let Some(found) = found else {
            return Ok(None);
        };
        let stored: Stored = serde_json::from_slice(&found.body)
            .map_err(|error| unusable(Unusable::Unreadable(error)))?;
        if stored.format > FORMAT {
            return Err(unusable(Unusable::Newer(stored.format)));
        }
        Ok(Some(*self.id.get_or_init(|| stored.id)))
    }

    /// Reads the object, if this process has not read it: before its first request of any kind. 1 G,
    /// once.
    ///
    /// # Errors
    /// As [`Pond::id`].
    pub(crate) async fn read_first(&self) -> Result<(), BucketError> {
        if !self.read.load(Ordering::Relaxed) {
            self.id().await?;
        }
        Ok(())
    }

    /// Returns the id, and creates the pond of an empty bucket first. 1 G, once; for the first writer
    /// of the bucket 3 P more.
    ///
    /// # Errors
    /// The store failed, the object cannot be read, or it was lost.
    pub(crate) async fn id_for_writing(&self) -> Result<PondId, BucketError> {
        if let Some(id) = self.id().await? {
            return Ok(id);
        }
        if self.is_used().await? {
            // Another first writer may have created the pond, and these objects, since it was read.
            return self.id().await?.ok_or_else(|| unusable(Unusable::Lost));
        }
        let mut random = [0; 16];
        self.entropy.fill(&mut random);
        self.create(PondId(u128::from_be_bytes(random))).await
    }

    /// Creates the pond with this id: it was lost, or the bucket was used without encryption so far.
    /// **C6** The first encrypted object that is found must be readable under this id: nothing replaces a
    /// pond, so one with a wrong id would make every object unreadable. 3 P, and 1 G for each object
    /// up to the first encrypted one, at most 200; 1 G if the pond exists.
    ///
    /// # Errors
    /// The store failed; the pond exists and has another id; or an object was encrypted under another id,
    /// or by a key that is not in the keyring.
    pub async fn restore(&self, id: PondId) -> Result<(), BucketError> {
        let stored = match self.id().await? {
            Some(stored) => stored,
            None => {
                self.check(id).await?;
                self.create(id).await?
            }
        };
        match stored == id {
            true => Ok(()),
            false => Err(unusable(Unusable::Other(stored))),
        }
    }

    /// Decrypts an object under `id`.
    async fn check(&self, id: PondId) -> Result<(), BucketError> {
        for prefix in USED {
            let prefix = Prefix::parse(prefix).expect("a constant");
            let page = self.bucket.list(&prefix, None, CHECKED).await?;
            for row in page.entries {
                let Some(found) = self.bucket.read(&row.key).await? else {
                    continue;
                };
                if Codec::has_encrypted(&found.body) {
                    let decoded = self.codec.decode(&row.key, Some(id), &found.body);
                    let key = row.key.to_string();
                    return match decoded {
                        Ok(_) => Ok(()),
                        Err(Undecoded::Forged) => Err(unusable(Unusable::Wrong(key))),
                        Err(why) => Err(unusable(Unusable::Unproven(key, why))),
                    };
                }
            }
        }
        Ok(())
    }

    /// Returns whether the bucket contains an execution, or mail.
    async fn is_used(&self) -> Result<bool, BucketError> {
        for prefix in USED {
            let prefix = Prefix::parse(prefix).expect("a constant");
            let mut after = None;
            loop {
                let page = self.bucket.list(&prefix, after.as_ref(), 1).await?;
                if !page.entries.is_empty() {
                    return Ok(true);
                }
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(false)
    }

    async fn create(&self, id: PondId) -> Result<PondId, BucketError> {
        let stored = Stored {
            format: FORMAT,
            id,
            created_at: self.clock.now(),
        };
        let body = serde_json::to_vec(&stored).expect("texts and numbers are JSON");
        let (at, body) = (key(), Bytes::from(body));
        match self.bucket.write(&at, body, Expect::Absent).await? {
            Outcome::Landed(_) => Ok(*self.id.get_or_init(|| id)),
            Outcome::Refused | Outcome::Unknown => {
                let vanished = BucketError::new(Fault::Unavailable, Verb::Create, &at);
                let vanished = vanished.because(Unusable::Vanished);
                self.id().await?.ok_or(vanished)
            }
        }
    }
}

fn key() -> Key {
    Key::parse(KEY).expect("a constant")
}

/// No other attempt would succeed.
fn unusable(why: Unusable) -> BucketError {
    BucketError::new(Fault::Denied, Verb::Read, key()).because(why)
}
