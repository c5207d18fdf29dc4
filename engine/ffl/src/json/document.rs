//! A program as it is stored: the JSON form, and what it was compiled from.

use serde::Serialize;

use super::{ReadError, parse_json, read_stored};
use crate::form::Program;
use crate::program::SourceDigest;

/// The version of the stored format.
pub const FORMAT: u32 = 1;

/// The newest edition of the interpreter: what programs that are compiled now run with. A change
/// that alters what a program does or records is a new edition.
pub const EDITION: u32 = 1;

/// A stored program. Its digest is that of its bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Document {
    /// The format and the edition.
    pub format: Format,
    /// The version of the compiler.
    pub compiler: String,
    /// The texts that the program was compiled from.
    pub sources: Vec<SourceDigest>,
    /// The program.
    pub program: Program,
}

/// How a [`Document`] is stored and run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Format {
    /// The version of the stored format.
    pub version: u32,
    /// The edition of the interpreter.
    pub edition: u32,
}

impl Document {
    /// A document of the current format and edition.
    #[must_use]
    pub fn new(program: Program, sources: Vec<SourceDigest>) -> Self {
        Self {
            format: Format {
                version: FORMAT,
                edition: EDITION,
            },
            compiler: env!("CARGO_PKG_VERSION").to_owned(),
            sources,
            program,
        }
    }

    /// The bytes that are stored. Equal documents have equal bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("the form has text keys and finite numbers only")
    }

    /// Reads a stored program.
    ///
    /// # Errors
    ///
    /// [`ReadError::Newer`] if a newer version stored the program, and the errors of
    /// [`read`](super::read).
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let json = parse_json(bytes)?;
        // A newer format may differ in anything else.
        let newest = |name: &str| json["format"][name].as_u64();
        for (found, supported) in [("version", FORMAT), ("edition", EDITION)]
            .map(|(name, supported)| (newest(name), u64::from(supported)))
        {
            if let Some(format) = found.filter(|found| *found > supported) {
                return Err(ReadError::Newer { format, supported });
            }
        }
        read_stored(&json)
    }
}
