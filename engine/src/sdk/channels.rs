//! The channels that a workflow declares, with the types of their messages.

use crate::domain::{Json, ValueError};

/// A channel on which a workflow receives messages of one type. `Engine::signal` rejects messages
/// of other types before they are written.
#[derive(Debug, Clone, Copy)]
pub struct DeclaredChannel {
    /// Its name.
    pub name: &'static str,
    /// The Rust type of its messages.
    pub takes: &'static str,
    check: fn(&Json) -> Result<(), ValueError>,
}

impl DeclaredChannel {
    /// Declares that messages on the channel `name` are of type `T`.
    #[must_use]
    pub fn new<T: serde::de::DeserializeOwned>(name: &'static str) -> Self {
        Self {
            name,
            takes: std::any::type_name::<T>(),
            check: |json| json.get::<T>().map(drop),
        }
    }

    /// Checks that a payload is of the channel's type.
    ///
    /// # Errors
    /// [`ValueError`] with the position and the reason.
    pub fn accepts(&self, payload: &Json) -> Result<(), ValueError> {
        (self.check)(payload)
    }
}
