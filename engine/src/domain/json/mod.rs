//! Values: JSON that is stored unchanged, or rejected by type before any write.

mod canonical;
mod check;
mod scan;

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::Digest;

pub use check::ValueError;

/// One JSON value, stored as text: 64-bit integers and doubles are read bit for bit as written.
#[derive(Clone)]
pub struct Json(Arc<RawValue>);

impl Json {
    /// Converts a value.
    ///
    /// # Errors
    /// [`ValueError`] for values that JSON cannot represent unchanged: NaN and infinities, integers
    /// over 64 bits, nesting over 100, keys that are not text, or a `Serialize` that fails.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, ValueError> {
        check::check(value)?;
        let raw = serde_json::value::to_raw_value(value).map_err(|e| ValueError::Serialize {
            message: e.to_string(),
        })?;
        Ok(Self(raw.into()))
    }

    /// Parses JSON text, for example from a file or a command line.
    ///
    /// A decimal is accepted if printing its double yields it again: in the shortest form, or with
    /// as many digits as it has, if these are at least 17. Only trailing zeros and the form of the
    /// exponent may differ. If several fields have the same name, the last one counts.
    ///
    /// # Errors
    /// [`ValueError`] as for [`Json::of`], for a decimal that a double would round, and for text
    /// that is not JSON.
    pub fn parse(text: &str) -> Result<Self, ValueError> {
        let bad = |e: serde_json::Error| ValueError::Deserialize {
            message: e.to_string(),
        };
        let raw: &RawValue = serde_json::from_str(text).map_err(bad)?;
        scan::scan(raw.get(), 0)?;
        let value: serde_json::Value = serde_json::from_str(raw.get()).map_err(bad)?;
        Self::of(&value)
    }

    /// Deserializes the value.
    ///
    /// # Errors
    /// [`ValueError::Deserialize`] if it is not a `T`.
    pub fn get<T: DeserializeOwned>(&self) -> Result<T, ValueError> {
        serde_json::from_str(self.0.get()).map_err(|e| ValueError::Deserialize {
            message: e.to_string(),
        })
    }

    /// Returns `null`.
    #[must_use]
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned().into())
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Returns the digest of the canonical form (sorted keys, no whitespace): the same for equal
    /// values on every host and version.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(canonical::canonical(self.as_str()).as_bytes())
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str() || self.digest() == other.digest()
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// Applies the checks of [`Json::parse`] and keeps the text.
impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        scan::scan(raw.get(), 0).map_err(serde::de::Error::custom)?;
        Ok(Self(raw.into()))
    }
}

/// A value in an entry or a message: inline, or a reference to a blob of the same execution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payload {
    /// The value itself.
    Inline(Json),
    /// `x/{sh}/{eid}/blob/{sha256}` under the execution that holds the reference.
    Blob {
        /// The digest of the bytes.
        sha256: Digest,
        /// The number of bytes.
        bytes: u64,
    },
}

impl From<Json> for Payload {
    fn from(json: Json) -> Self {
        Self::Inline(json)
    }
}
