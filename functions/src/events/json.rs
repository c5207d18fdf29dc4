//! JSON whose long numbers keep their digits.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

/// Digits in a row from which a whole number may not fit into 64 bits.
const LONG: usize = 19;

/// Reads JSON. A whole number that does not fit into 64 bits becomes text of its digits: as a
/// double it would be rounded, and two such numbers in keys could become one.
///
/// # Errors
/// The text is not JSON.
///
/// ```
/// use millpond_functions::events::parse;
///
/// let event = parse(r#"{"id": 12345678901234567890123, "count": 7}"#).unwrap();
/// assert_eq!(event["id"], "12345678901234567890123");
/// assert_eq!(event["count"], 7);
/// ```
pub fn parse(text: &str) -> Result<Value, serde_json::Error> {
    let value = serde_json::from_str(text)?;
    let mut runs = text
        .as_bytes()
        .chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    if runs.any(|run| run.len() >= LONG && run[0].is_ascii_digit()) {
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
        _ => {
            let digits = text.trim();
            let whole = digits.strip_prefix('-').unwrap_or(digits);
            let whole = !whole.is_empty() && whole.bytes().all(|byte| byte.is_ascii_digit());
            let fits = digits.parse::<i64>().is_ok() || digits.parse::<u64>().is_ok();
            if whole && !fits {
                return Ok(digits.into());
            }
            serde_json::from_str(text)
        }
    }
}
