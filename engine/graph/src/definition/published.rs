//! The published JSON Schema of a definition.

use serde_json::Value;

/// The JSON Schema (2020-12) of a definition, as text.
///
/// A JSON value has the form of a definition if, and only if, it is valid under this schema.
pub const SCHEMA: &str = include_str!("schema.json");

/// Returns the JSON Schema of a definition.
#[must_use]
pub fn schema() -> Value {
    serde_json::from_str(SCHEMA).expect("the published schema is JSON")
}
