//! Secrets that are shared with senders of requests.

use std::collections::BTreeMap;
use std::fmt;

use zeroize::Zeroizing;

/// Secrets by name, as `MILLPOND_WEBHOOK_SECRETS` holds them. Never printed.
#[derive(Clone, Default)]
pub struct Secrets(BTreeMap<String, Zeroizing<String>>);

/// Text that is not a set of secrets. The error does not repeat the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid secrets: they must be a JSON object of names and texts that are not empty: {why}")]
pub struct SecretsError {
    why: String,
}

impl Secrets {
    /// Reads a JSON object `{"name": "secret"}`.
    ///
    /// # Errors
    /// [`SecretsError`]: it is not.
    pub fn parse(json: &str) -> Result<Self, SecretsError> {
        let read: Result<BTreeMap<String, Zeroizing<String>>, _> =
            serde_json::from_str::<BTreeMap<String, String>>(json)
                .map(|all| all.into_iter().map(|(k, v)| (k, v.into())).collect());
        // serde's message may repeat what it read.
        let all = read.map_err(|error| SecretsError {
            why: format!("line {}, column {}", error.line(), error.column()),
        })?;
        match all.iter().find(|(_, secret)| secret.is_empty()) {
            Some((name, _)) => Err(SecretsError {
                why: format!("{name:?} is empty"),
            }),
            None => Ok(Self(all)),
        }
    }

    /// The secret of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name).map(|secret| secret.as_bytes())
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}
