//! Reads fields of JSON with unexpected content.

use serde_json::Value;

/// The value at a path of names.
pub(crate) fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, name| value.get(name))
}

/// The text there, if it is text and not empty.
pub(crate) fn text(value: &Value, path: &[&str]) -> Option<String> {
    let text = at(value, path)?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

/// The text there, or why there is none.
pub(crate) fn must(value: &Value, path: &[&str]) -> Result<String, String> {
    text(value, path).ok_or_else(|| {
        let name = path.join(".");
        match at(value, path) {
            None => format!("it has no `{name}`"),
            Some(Value::String(_)) => format!("its `{name}` is empty"),
            Some(_) => format!("its `{name}` is not text"),
        }
    })
}

/// The whole number there: some senders write numbers as text.
pub(crate) fn number(value: &Value, path: &[&str]) -> Option<u64> {
    match at(value, path)? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}
