//! Digests of programs and texts.

use sha2::{Digest, Sha256};

use crate::json::hex;
use crate::source::{Origin, Sources};

/// The SHA-256 of bytes, as 64 lower-case hexadecimal digits.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// A text of a program: its name, and the digest of its content.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SourceDigest {
    /// The name, such as a path.
    pub name: String,
    /// Why the text is part of the program.
    pub origin: Origin,
    /// The SHA-256 of the text.
    pub sha256: String,
}

impl SourceDigest {
    /// The texts of a compilation, in order.
    #[must_use]
    pub fn of(sources: &Sources) -> Vec<Self> {
        let one = |(_, source): (_, &crate::source::Source)| Self {
            name: source.name().to_owned(),
            origin: source.origin(),
            sha256: digest(source.text().as_bytes()),
        };
        sources.iter().map(one).collect()
    }
}
