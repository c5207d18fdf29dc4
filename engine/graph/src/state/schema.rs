//! JSON Schemas of values, compiled once.

use std::fmt;
use std::sync::Arc;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

use super::effort::bounded;
use crate::definition;

/// The dialect of every schema.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A compiled schema.
///
/// Nothing is fetched: a reference leads to a part of the same schema. Patterns are matched in time
/// that is linear in the text, so they have neither look-around nor back-references.
#[derive(Clone)]
pub struct Schema(Arc<Validator>);

/// A schema that cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid JSON Schema: {message}: path={path:?}")]
pub struct InvalidSchema {
    /// The JSON Pointer of the part of the schema.
    pub path: String,
    /// What is wrong with it.
    pub message: String,
}

/// A value that violates its schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the value violates its schema: {message}: path={path:?}")]
pub struct Violation {
    /// The JSON Pointer of the first part of the value that violates the schema.
    pub path: String,
    /// What the schema requires of it.
    pub message: String,
}

impl Schema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// [`InvalidSchema`] with the part of the schema that is wrong.
    pub fn compile(schema: &definition::Schema) -> Result<Self, InvalidSchema> {
        let json = schema.as_json();
        let invalid = |path: &str, message: String| InvalidSchema {
            path: path.to_owned(),
            message: cut(&message),
        };
        if let Some(dialect) = json.get("$schema").filter(|dialect| *dialect != DIALECT) {
            return Err(invalid(
                "/$schema",
                format!("the only dialect is {DIALECT}: got={dialect}"),
            ));
        }
        if let Err(error) = jsonschema::meta::validate(json) {
            return Err(invalid(error.instance_path().as_str(), error.to_string()));
        }
        bounded(json)?;
        let options = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .with_pattern_options(PatternOptions::regex());
        let compiled = options.build(json);
        compiled
            .map(|validator| Self(Arc::new(validator)))
            .map_err(|error| invalid(error.instance_path().as_str(), error.to_string()))
    }

    /// Validates a value.
    ///
    /// # Errors
    /// [`Violation`] with the first path, in the order of the paths' texts.
    pub fn validate(&self, value: &Value) -> Result<(), Violation> {
        if self.0.is_valid(value) {
            return Ok(());
        }
        let all = self.0.iter_errors(value).map(|error| Violation {
            path: error.instance_path().as_str().to_owned(),
            message: cut(&error.masked().to_string()),
        });
        let first =
            all.min_by(|one, other| (&one.path, &one.message).cmp(&(&other.path, &other.message)));
        Err(first.expect("a value that is not valid has an error"))
    }
}

fn cut(message: &str) -> String {
    message.chars().take(500).collect()
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Schema")
    }
}
