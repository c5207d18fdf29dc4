//! Texts that contain paths.

use serde_json::Value;

use super::path::Path;
use crate::triggers::near::short;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Plain(String),
    Path(Path),
}

/// Splits a text at `${...}`; `$$` is a plain `$`.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece>, String> {
    let (mut pieces, mut plain, mut rest) = (Vec::new(), String::new(), text);
    while let Some(at) = rest.find('$') {
        plain.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        rest = if let Some(after) = after.strip_prefix('$') {
            plain.push('$');
            after
        } else if let Some(inner) = after.strip_prefix('{') {
            let end = end(inner).ok_or_else(|| format!("`${{` has no `}}`: text={text:?}"))?;
            if !plain.is_empty() {
                pieces.push(Piece::Plain(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Path(Path::parse(inner[..end].trim())?));
            &inner[end + 1..]
        } else {
            plain.push('$');
            after
        };
    }
    plain.push_str(rest);
    if !plain.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Plain(plain));
    }
    Ok(pieces)
}

/// The position of the brace that ends a path: not one in a quoted name.
fn end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, char) in text.char_indices() {
        match (char, quote) {
            ('}', None) => return Some(at),
            ('\'' | '"', None) => quote = Some(char),
            (char, Some(open)) if char == open => quote = None,
            _ => {}
        }
    }
    None
}

/// Joins the pieces, with the values of paths.
pub(super) fn render(pieces: &[Piece], event: &Value) -> Result<String, String> {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Plain(text) => out.push_str(text),
            Piece::Path(path) => match path.get(event)? {
                Value::Null => {}
                value => out.push_str(&scalar(&value).ok_or_else(|| {
                    let got = short(&value);
                    format!("the value at {path} cannot be part of a text: value={got}")
                })?),
            },
        }
    }
    Ok(out)
}

/// A text, a number, true or false, as text.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
