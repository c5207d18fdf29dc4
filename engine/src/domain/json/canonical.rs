//! Canonical JSON in a form of its own, because RFC 8785 changes 2^53+1.

use serde_json::Value;

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
        plain => out.push_str(&plain.to_string()),
    }
}
