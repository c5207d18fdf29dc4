//! Canonical JSON in a form of its own, because RFC 8785 changes 2^53+1.

use serde_json::{Number, Value};

/// Returns `text` with keys sorted by bytes, without whitespace, and with numbers as `serde_json`
/// prints them.
pub(super) fn canonical(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    match serde_json::from_str::<Value>(text) {
        Ok(value) => write(&value, &mut out),
        // The text was read as JSON before. If it can no longer be parsed (nesting beyond the
        // parser's limit), its digest is that of its bytes.
        Err(_) => out.push_str(text),
    }
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            let mut fields: Vec<_> = map.iter().collect();
            fields.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
            out.push('{');
            for (n, (name, item)) in fields.into_iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write(item, out);
            }
            out.push('}');
        }
        Value::Number(number) => out.push_str(&plain(number)),
        other => out.push_str(&other.to_string()),
    }
}

/// Prints a number by its value: with the feature `arbitrary_precision`, which any crate of the
/// build may enable, `serde_json` prints the text that was read.
fn plain(number: &Number) -> String {
    let text = number.to_string();
    if let Some(whole) = number.as_u64() {
        return whole.to_string();
    }
    match (number.as_i64(), number.as_f64()) {
        (Some(whole), _) if whole < 0 => whole.to_string(),
        (_, Some(double)) => serde_json::to_string(&double).unwrap_or(text),
        _ => text,
    }
}
