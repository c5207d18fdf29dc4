//! The keys of the engine, and what they are called in the store (S4).

use millpond::keys::{Key, Prefix};

/// What stands before every key: empty, or components that each end in `/`.
#[derive(Debug, Clone)]
pub(crate) struct Root(pub(crate) String);

impl Root {
    pub(crate) fn key(&self, key: &Key) -> String {
        format!("{}{key}", self.0)
    }

    pub(crate) fn prefix(&self, prefix: &Prefix) -> String {
        format!("{}{prefix}", self.0)
    }

    /// The key that the store calls `name`; `None` for what the engine cannot have written.
    pub(crate) fn strip(&self, name: &str) -> Option<Key> {
        Key::parse(name.strip_prefix(&self.0)?).ok()
    }
}
