//! JSON whose numbers keep their digits.

use std::collections::BTreeMap;

use millpond::domain::{Json, ValueError};
use serde_json::Value;
use serde_json::value::RawValue;

/// Reads JSON. A whole number that does not fit into 64 bits, and a decimal that a double would
/// round, become text of their digits: rounded, two such numbers in keys could become one. The rule
/// for decimals is that of [`Json::parse`].
///
/// # Errors
/// The text is not JSON.
///
/// ```
/// use millpond_functions::events::parse;
///
/// let event = parse(r#"{"id": 12345678901234567890123, "sum": 9007199254740993.0, "count": 7}"#).unwrap();
/// assert_eq!(event["id"], "12345678901234567890123");
/// assert_eq!(event["sum"], "9007199254740993.0");
/// assert_eq!(event["count"], 7);
/// ```
pub fn parse(text: &str) -> Result<Value, serde_json::Error> {
    let value = serde_json::from_str(text)?;
    if serde_json::from_str::<Json>(text).is_err() {
        return exact(text);
    }
    Ok(value)
}

fn exact(text: &str) -> Result<Value, serde_json::Error> {
    match text.trim_start().as_bytes().first() {
        Some(b'{') => {
            let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text)?;
            let fields = fields.into_iter();
            let fields = fields.map(|(name, value)| Ok((name, exact(value.get())?)));
            Ok(Value::Object(
                fields.collect::<Result<_, serde_json::Error>>()?,
            ))
        }
        Some(b'[') => {
            let values: Vec<&RawValue> = serde_json::from_str(text)?;
            let values = values.into_iter().map(|value| exact(value.get()));
            Ok(Value::Array(values.collect::<Result<_, _>>()?))
        }
        _ => match Json::parse(text) {
            Err(ValueError::TooWide { .. } | ValueError::Inexact { .. }) => Ok(text.trim().into()),
            _ => serde_json::from_str(text),
        },
    }
}
