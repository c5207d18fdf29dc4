//! Deserializes the fields of a rule.
//!
//! serde reports the first error only. So fields are deserialized again, without the one that had
//! the error, until none has: one run reports everything that is wrong with a rule.

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::{Map, Value};
use serde_path_to_error::Segment;

use super::error::{Fault, Faults, hint};
use super::near::near;

/// Deserializes `fields` without those that have errors, which are reported. `also`: fields of
/// the same table that were read before.
pub(super) fn lenient<T: DeserializeOwned + Default>(
    mut fields: Map<String, Value>,
    also: &[String],
    faults: &mut Faults,
) -> T {
    loop {
        let value = Value::Object(fields);
        let error = match serde_path_to_error::deserialize(&value) {
            Ok(fields) => return fields,
            Err(error) => error,
        };
        let path = error.path().iter().map_while(|segment| match segment {
            Segment::Map { key } => Some(key.as_str()),
            _ => None,
        });
        let path: Vec<&str> = path.collect();
        let (field, message) = (path.join("."), error.inner().to_string());
        if message.starts_with("unknown field") {
            let also = also.iter().filter(|_| path.len() == 1);
            let known = quoted(&message).skip(1).chain(also.map(String::as_str));
            let known: Vec<&str> = known.collect();
            faults.push(Fault::unknown_field(&field, &known));
        } else {
            faults.invalid(&field, suggested(&message));
        }
        let Value::Object(rest) = value else {
            return T::default();
        };
        fields = rest;
        if !remove(&mut fields, &path) {
            return T::default();
        }
    }
}

/// Removes the field at `path`; its parent, if that is not an object.
fn remove(fields: &mut Map<String, Value>, path: &[&str]) -> bool {
    match path {
        [] => false,
        [name, rest @ ..] => match fields.get_mut(*name) {
            Some(Value::Object(inner)) if !rest.is_empty() => remove(inner, rest),
            _ => fields.remove(*name).is_some(),
        },
    }
}

/// The names of a struct's fields, as serde lists them for an unknown name.
pub(super) fn names<T: DeserializeOwned>() -> Vec<String> {
    let unknown = Value::Object(Map::from_iter([(String::new(), Value::Null)]));
    let error = serde_json::from_value::<T>(unknown).err();
    let message = error.map_or_else(String::new, |error| error.to_string());
    quoted(&message).skip(1).map(str::to_owned).collect()
}

/// serde's message, with the nearest of the names that it lists.
pub(super) fn suggested(message: &str) -> String {
    let names: Vec<&str> = quoted(message).collect();
    let near = match names.split_first() {
        Some((name, known)) if message.starts_with("unknown") => near(name, known),
        _ => None,
    };
    format!("{message}{}", hint(near))
}

/// The texts in backquotes: serde quotes names this way.
fn quoted(message: &str) -> impl Iterator<Item = &str> {
    message.split('`').skip(1).step_by(2)
}

/// A field with any value, `null` included.
pub(super) fn given<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(from).map(Some)
}
