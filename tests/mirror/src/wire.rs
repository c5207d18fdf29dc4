//! What goes over a connection: frames of two lengths (big endian, 4 bytes each), a header in JSON and
//! the bytes of an object. The other end is `engine/src/testing/mirror.rs`; neither takes a
//! field that it does not know.

use std::io::{Read, Result, Write};

use serde::{Deserialize, Serialize};

/// The longest frame that is taken: no test of the engine has larger objects.
const MOST: usize = 64 << 20;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "verb", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Ask {
    /// Who asks; not answered.
    Hello {
        /// The test's name.
        test: String,
    },
    /// The newest object.
    Read {
        /// Its key.
        key: String,
    },
    /// A conditional write of the frame's bytes.
    Write {
        /// The key.
        key: String,
        /// The version that must be there; none: no object may be.
        expect: Option<String>,
    },
    /// A delete.
    Delete {
        /// The key.
        key: String,
    },
    /// One page of a list.
    List {
        /// What the keys begin with.
        prefix: String,
        /// The key that they sort after.
        after: Option<String>,
        /// How many at most.
        limit: usize,
    },
}

/// What the store says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "answer", rename_all = "lowercase")]
pub(crate) enum Answer {
    /// An object, whose bytes are the frame's.
    Object {
        /// Its version.
        version: String,
    },
    /// No object.
    Absent,
    /// The write happened.
    Landed {
        /// The new version.
        version: String,
    },
    /// The write did not happen: the key was not as expected.
    Refused,
    /// The write may have happened.
    Unknown,
    /// The key is gone.
    Deleted,
    /// A page.
    Page {
        /// Keys and sizes.
        keys: Vec<(String, u64)>,
        /// Whether keys may follow.
        more: bool,
    },
    /// An error.
    Failed {
        /// What the store said.
        why: String,
    },
}

/// The next frame; none at the end of the connection.
///
/// # Errors
/// The connection broke, or what came is no frame.
pub(crate) fn take(from: &mut impl Read) -> Result<Option<(Ask, Vec<u8>)>> {
    let mut lengths = [0; 8];
    match from.read_exact(&mut lengths) {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let (header, body) = lengths.split_at(4);
    let header = fill(from, header)?;
    let body = fill(from, body)?;
    Ok(Some((serde_json::from_slice(&header)?, body)))
}

fn fill(from: &mut impl Read, length: &[u8]) -> Result<Vec<u8>> {
    let length = length
        .iter()
        .fold(0, |sum, byte| (sum << 8) | usize::from(*byte));
    if length > MOST {
        let why = format!("a frame of {length} bytes, at most {MOST}");
        return Err(std::io::Error::other(why));
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Sends one frame.
///
/// # Errors
/// The connection broke, or the frame is too long for its lengths.
pub(crate) fn send(to: &mut impl Write, answer: &Answer, body: &[u8]) -> Result<()> {
    let header = serde_json::to_vec(answer)?;
    let mut frame = Vec::with_capacity(8 + header.len() + body.len());
    for part in [header.as_slice(), body] {
        let length = u32::try_from(part.len()).map_err(std::io::Error::other)?;
        frame.extend(length.to_be_bytes());
    }
    frame.extend(header);
    frame.extend(body);
    to.write_all(&frame)
}
