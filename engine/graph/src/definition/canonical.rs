//! The canonical form of JSON, and the revision of a definition.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::graph::Definition;
use super::ids::Revision;

/// Writes JSON in its canonical form: without blanks, the keys of each object sorted by their bytes.
///
/// Numbers keep what they are: `1` and `1.0` differ, and no digit is lost.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

/// Returns the sha256 of the canonical form of JSON: the revision of an agent.
#[must_use]
pub fn digest(value: &Value) -> Revision {
    hash(&canonical(value))
}

fn hash(text: &str) -> Revision {
    let digest = Sha256::digest(text);
    let text: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Revision::parse(&text).expect("a sha256 has 64 hexadecimal digits")
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(object) => {
            // serde_json may keep keys as they came; that depends on features of the whole build.
            let mut fields: Vec<_> = object.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            text.push('{');
            for (index, (name, field)) in fields.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write(field, text);
            }
            text.push('}');
        }
        Value::Array(list) => {
            text.push('[');
            for (index, element) in list.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(element, text);
            }
            text.push(']');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

impl Definition {
    /// Writes the definition in its canonical form: canonical JSON, edges as objects, spans in their
    /// largest unit, without fields that have their default value.
    #[must_use]
    pub fn canonical(&self) -> String {
        let value = serde_json::to_value(self).expect("every part of a definition has a JSON form");
        canonical(&value)
    }

    /// Returns the revision: the sha256 of the canonical form.
    #[must_use]
    pub fn revision(&self) -> Revision {
        hash(&self.canonical())
    }
}
