//! The wire format: frames of two lengths (big endian, 4 bytes each), a header in JSON and the
//! bytes of an object. The other end is `engine/src/testing/mirror.rs`; neither accepts unknown
//! fields.

use std::io::{Read, Result, Write};

use serde::{Deserialize, Serialize};

/// Maximum length of a frame: no test of the engine has larger objects.
const MOST: usize = 64 << 20;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "verb", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Ask {
    /// Identifies the client; receives no reply.
    Hello {
        /// The test's name.
        test: String,
    },
    /// Reads the newest object.
    Read {
        /// Its key.
        key: String,
    },
    /// A conditional write of the frame's bytes.
    Write {
        /// The key.
        key: String,
        /// The expected version; none: the key must be absent.
        expect: Option<String>,
    },
    /// A delete.
    Delete {
        /// The key.
        key: String,
    },
    /// One page of a list.
    List {
        /// The prefix of the keys.
        prefix: String,
        /// The key after which the page starts.
        after: Option<String>,
        /// The maximum number of keys.
        limit: usize,
    },
}

/// The reply of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "answer", rename_all = "lowercase")]
pub(crate) enum Answer {
    /// An object, whose body is the frame's bytes.
    Object {
        /// Its version.
        version: String,
    },
    /// No object.
    Absent,
    /// The write landed.
    Landed {
        /// The new version.
        version: String,
    },
    /// The write had no effect: the state of the key was not as expected.
    Refused,
    /// The write may have landed.
    Unknown,
    /// The key is absent now.
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
        /// The error message of the store.
        why: String,
    },
}

/// The next frame; none at the end of the connection.
///
/// # Errors
/// The connection broke, or the data is not a frame.
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
/// The connection broke, or the frame exceeds its length fields.
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
