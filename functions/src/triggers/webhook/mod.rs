//! Authenticates requests.

mod secrets;
mod signature;
#[cfg(test)]
mod tests;

pub use secrets::{Secrets, SecretsError};
pub use signature::Scheme;
pub(crate) use signature::SignatureError;
pub(super) use signature::SignatureFields;
pub(crate) use signature::Verifier;
