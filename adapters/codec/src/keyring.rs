//! Keys by id: the active one encrypts, and the others decrypt older objects.

use std::collections::BTreeMap;
use std::fmt;

use aes_gcm::{Aes256Gcm, KeyInit as _};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use zeroize::Zeroizing;

/// Maximum length of a key id, in bytes.
const LONGEST: usize = 64;

/// AES-256 keys by id. The first one encrypts; every one decrypts.
///
/// Rotation: add a new key in first place, distribute the keyring to every process, and remove an
/// old key once no object depends on it.
#[derive(Clone)]
pub struct Keyring {
    active: String,
    keys: BTreeMap<String, Aes256Gcm>,
    plain: bool,
}

/// A keyring that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyringError {
    /// It contains no key.
    #[error("the keyring contains no key")]
    Empty,
    /// A line is neither `id = key`, nor `plain`, nor a comment.
    #[error("the keyring cannot be read: {why}: line={line}")]
    Line {
        /// The line number, from 1.
        line: usize,
        /// What is wrong with the line; never its content.
        why: &'static str,
    },
}

impl Keyring {
    /// Parses a keyring: one line `id = key` for each key, where the key is 32 bytes in base64 and
    /// the active key comes first. A line `plain` permits reading unencrypted objects as well (C2).
    /// Empty lines and lines that begin with `#` are ignored.
    ///
    /// # Errors
    /// [`KeyringError`] names the line, and never repeats its content.
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
                return Err(refuse("the id is not 1 to 64 characters of [A-Za-z0-9._-]"));
            }
            let key = Zeroizing::new(
                BASE64_STANDARD
                    .decode(key)
                    .map_err(|_| refuse("the key is not valid base64"))?,
            );
            let cipher = Aes256Gcm::new_from_slice(&key)
                .map_err(|_| refuse("the key is not 32 bytes long"))?;
            if keys.insert(id.to_owned(), cipher).is_some() {
                return Err(refuse("the id is given twice"));
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

    /// Whether unencrypted objects are read.
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
