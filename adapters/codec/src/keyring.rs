//! Keys by id: one that encrypts, and those that may still be needed.

use std::collections::BTreeMap;
use std::fmt;

use aes_gcm::{Aes256Gcm, KeyInit as _};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use zeroize::Zeroizing;

/// Longest id of a key, in bytes.
const LONGEST: usize = 64;

/// Keys of AES-256, by id. The first one encrypts; every one decrypts.
///
/// Rotation: put a new key first, give the ring to every process, and take an old one out when
/// no object needs it any more.
#[derive(Clone)]
pub struct Keyring {
    active: String,
    keys: BTreeMap<String, Aes256Gcm>,
    plain: bool,
}

/// A keyring that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyringError {
    /// There is no key in it.
    #[error("the keyring holds no key")]
    Empty,
    /// A line is neither `id = key`, nor `plain`, nor a comment.
    #[error("the keyring cannot be read: {why}: line={line}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it; never what it says.
        why: &'static str,
    },
}

impl Keyring {
    /// Reads a keyring: a line `id = key` for each, the key being 32 bytes in base64, the active
    /// one first; `plain` on a line of its own lets objects in the open be read, too (C2). Empty
    /// lines, and those that begin with `#`, say nothing.
    ///
    /// # Errors
    /// [`KeyringError`] names the line, and never repeats it.
    pub fn parse(text: &str) -> Result<Self, KeyringError> {
        let (mut keys, mut active, mut plain) = (BTreeMap::new(), None, false);
        for (line, text) in (1..).zip(text.lines()) {
            let refuse = |why| KeyringError::Line { line, why };
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if text == "plain" {
                plain = true;
                continue;
            }
            let (id, key) = text
                .split_once('=')
                .ok_or_else(|| refuse("neither `id = key` nor `plain`"))?;
            let (id, key) = (id.trim(), key.trim());
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
            if id.is_empty() || id.len() > LONGEST || !id.bytes().all(allowed) {
                return Err(refuse("an id has 1 to 64 characters of [A-Za-z0-9._-]"));
            }
            let key = Zeroizing::new(
                BASE64_STANDARD
                    .decode(key)
                    .map_err(|_| refuse("a key is base64"))?,
            );
            let cipher =
                Aes256Gcm::new_from_slice(&key).map_err(|_| refuse("a key has 32 bytes"))?;
            if keys.insert(id.to_owned(), cipher).is_some() {
                return Err(refuse("an id stands for one key"));
            }
            active.get_or_insert_with(|| id.to_owned());
        }
        let active = active.ok_or(KeyringError::Empty)?;
        Ok(Self {
            active,
            keys,
            plain,
        })
    }

    /// The id of the key that encrypts.
    #[must_use]
    pub fn active(&self) -> &str {
        &self.active
    }

    pub(crate) fn find(&self, id: &str) -> Option<&Aes256Gcm> {
        self.keys.get(id)
    }

    /// Whether objects in the open are read.
    pub(crate) const fn reads_plain(&self) -> bool {
        self.plain
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<_> = self.keys.keys().collect();
        f.debug_struct("Keyring")
            .field("active", &self.active)
            .field("ids", &ids)
            .field("plain", &self.plain)
            .finish()
    }
}
