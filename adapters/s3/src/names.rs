//! The engine's keys and their names in the store (S4).

use millpond::keys::{Key, Prefix};

/// The prefix of every key: empty, or components that each end in `/`.
#[derive(Debug, Clone)]
pub(crate) struct Root(pub(crate) String);

impl Root {
    pub(crate) fn key(&self, key: &Key) -> String {
        format!("{}{key}", self.0)
    }

    pub(crate) fn prefix(&self, prefix: &Prefix) -> String {
        format!("{}{prefix}", self.0)
    }

    /// The key of the object `name`; `None` if the engine cannot have written it.
    pub(crate) fn strip(&self, name: &str) -> Option<Key> {
        Key::parse(name.strip_prefix(&self.0)?).ok()
    }
}
