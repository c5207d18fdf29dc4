//! Values: JSON, shared instead of copied.

use std::collections::BTreeMap;
use std::sync::Arc;

/// A JSON value. A copy shares what it contains.
///
/// Two values are equal as `==` of the language specifies: deeply, 1 equals 1.0, and a Boolean
/// equals no number.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A number without a point.
    Int(i64),
    /// Any other number; finite.
    Double(f64),
    /// A text.
    String(Arc<str>),
    /// A list.
    Array(Arc<[Value]>),
    /// Properties, sorted by key.
    Object(Arc<BTreeMap<Arc<str>, Value>>),
}

impl Value {
    /// What kind of value it is, for a message.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "a Boolean",
            Self::Int(_) => "an integer",
            Self::Double(_) => "a double",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::String(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::String(value.into())
    }
}

impl From<Vec<Self>> for Value {
    fn from(elements: Vec<Self>) -> Self {
        Self::Array(elements.into())
    }
}

impl From<BTreeMap<Arc<str>, Self>> for Value {
    fn from(properties: BTreeMap<Arc<str>, Self>) -> Self {
        Self::Object(Arc::new(properties))
    }
}
