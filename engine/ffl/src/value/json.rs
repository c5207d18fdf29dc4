//! Values from and to JSON, within the limits of values.

use std::io;

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::Value;

/// The most bytes that the JSON text of a value has: 16 MiB.
pub const MAX_VALUE: usize = 16 << 20;

/// The most levels to which a value nests.
pub const MAX_VALUE_DEPTH: usize = 100;

/// A value that exceeds a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// Its JSON text is too long.
    #[error("the value is too large; refer to large data by name instead: limit={MAX_VALUE}")]
    TooLarge,
    /// It nests too deeply.
    #[error("the value nests too deeply: limit={MAX_VALUE_DEPTH}")]
    TooDeep,
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Double(value) => serializer.serialize_f64(*value),
            Self::String(value) => serializer.serialize_str(value),
            Self::Array(elements) => {
                let mut seq = serializer.serialize_seq(Some(elements.len()))?;
                for element in elements.iter() {
                    seq.serialize_element(element)?;
                }
                seq.end()
            }
            Self::Object(properties) => {
                let mut map = serializer.serialize_map(Some(properties.len()))?;
                for (key, value) in properties.iter() {
                    map.serialize_entry(&**key, value)?;
                }
                map.end()
            }
        }
    }
}

impl Value {
    /// The value of a JSON value. An integer that does not fit in 64 bits is a double.
    ///
    /// # Errors
    ///
    /// [`LimitError`] if the value is too large or nests too deeply.
    pub fn from_json(json: &serde_json::Value) -> Result<Self, LimitError> {
        let value = Self::convert(json, 0)?;
        value.within_limits()?;
        Ok(value)
    }

    fn convert(json: &serde_json::Value, depth: usize) -> Result<Self, LimitError> {
        if depth > MAX_VALUE_DEPTH {
            return Err(LimitError::TooDeep);
        }
        Ok(match json {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Boolean(*value),
            serde_json::Value::Number(number) => match number.as_i64() {
                Some(int) => Self::Int(int),
                None => Self::Double(number.as_f64().expect("a JSON number is finite")),
            },
            serde_json::Value::String(text) => Self::from(text.as_str()),
            serde_json::Value::Array(elements) => {
                let elements = elements.iter().map(|json| Self::convert(json, depth + 1));
                Self::Array(elements.collect::<Result<_, _>>()?)
            }
            serde_json::Value::Object(properties) => {
                let properties = properties.iter().map(|(key, json)| {
                    let value = Self::convert(json, depth + 1)?;
                    Ok((key.as_str().into(), value))
                });
                Self::Object(std::sync::Arc::new(properties.collect::<Result<_, _>>()?))
            }
        })
    }

    /// The JSON value of a value.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("a value has text keys and finite numbers only")
    }

    /// Refuses a value that exceeds a limit. Shared parts count as often as they occur.
    pub(super) fn within_limits(&self) -> Result<(), LimitError> {
        // The size first: it bounds the number of values that depth() visits.
        let mut counter = Counter { left: MAX_VALUE };
        self.write(&mut counter).map_err(|_| LimitError::TooLarge)?;
        if self.depth() > MAX_VALUE_DEPTH {
            return Err(LimitError::TooDeep);
        }
        Ok(())
    }

    /// The number of arrays and objects around the innermost value.
    fn depth(&self) -> usize {
        match self {
            Self::Array(elements) => 1 + elements.iter().map(Self::depth).max().unwrap_or(0),
            Self::Object(properties) => 1 + properties.values().map(Self::depth).max().unwrap_or(0),
            _ => 0,
        }
    }
}

/// Counts bytes up to a limit.
struct Counter {
    left: usize,
}

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.left.checked_sub(bytes.len()) {
            Some(left) => self.left = left,
            None => return Err(io::ErrorKind::FileTooLarge.into()),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
