//! Which values count as true.

use super::Value;

impl Value {
    /// False for false, null, 0, "", [] and {}; true for all other values.
    #[must_use]
    pub fn truth(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Boolean(value) => *value,
            Self::Int(value) => *value != 0,
            Self::Double(value) => *value != 0.0,
            Self::String(value) => !value.is_empty(),
            Self::Array(value) => !value.is_empty(),
            Self::Object(value) => !value.is_empty(),
        }
    }
}
