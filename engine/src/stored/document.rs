//! JSON objects with a format number and a checksum at their end.

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{LoadError, checksum};
use crate::keys::Key;

/// An object whose bytes are its JSON with a checksum at their end.
///
/// The JSON has a field `format`, which a reader checks before all other fields.
pub(crate) trait Document: Serialize + DeserializeOwned {
    /// The version of the stored form. A reader rejects a newer one by name.
    const FORMAT: u32;

    fn encode(&self) -> Bytes {
        let json = serde_json::to_vec(self);
        checksum::add(json.expect("a document holds only values that were serialized before"))
    }
}

/// Decodes a document from its bytes.
///
/// # Errors
/// [`LoadError::Newer`] for a form of a later release. [`LoadError::Corrupt`] if the bytes have
/// changed since they were written.
pub(crate) fn decode<D: Document>(key: &Key, body: &[u8]) -> Result<D, LoadError> {
    // Checked first, so that a corrupt format number is not mistaken for a later release.
    if !checksum::holds(body) {
        return Err(LoadError::corrupt(key, checksum::BROKEN));
    }
    check_format(key, body, D::FORMAT)?;
    serde_json::from_slice(body).map_err(|error| LoadError::corrupt(key, error))
}

/// Rejects the form of a later release: the JSON object's `format` is above `known`.
///
/// # Errors
/// [`LoadError::Newer`]; [`LoadError::Corrupt`] if there is no format.
pub(crate) fn check_format(key: &Key, json: &[u8], known: u32) -> Result<(), LoadError> {
    #[derive(serde::Deserialize)]
    struct Format {
        format: u32,
    }
    let Format { format } =
        serde_json::from_slice(json).map_err(|error| LoadError::corrupt(key, error))?;
    if format > known {
        let key = key.clone();
        return Err(LoadError::Newer { key, format, known });
    }
    Ok(())
}
