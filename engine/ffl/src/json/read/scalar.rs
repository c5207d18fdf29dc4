//! Texts, numbers and names of the form.

use serde_json::Value;

use super::object::Path;
use crate::json::ReadError;
use crate::lex::MAX_IDENTIFIER;

pub(super) fn text(value: &Value, path: &Path<'_>) -> Result<String, ReadError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        _ => Err(path.unexpected("a string", value)),
    }
}

/// An identifier. Names become parts of frame ids, so nothing else may pass.
pub(super) fn ident(value: &Value, path: &Path<'_>) -> Result<String, ReadError> {
    match value {
        Value::String(text) if is_ident(text) => Ok(text.clone()),
        _ => Err(path.unexpected("an identifier", value)),
    }
}

/// Identifiers joined by dots.
pub(super) fn qname(value: &Value, path: &Path<'_>) -> Result<String, ReadError> {
    match value {
        Value::String(text) if text.split('.').all(is_ident) => Ok(text.clone()),
        _ => Err(path.unexpected("a qualified name", value)),
    }
}

fn is_ident(text: &str) -> bool {
    let mut bytes = text.bytes();
    let first = bytes.next();
    first.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && text.len() <= MAX_IDENTIFIER
}

pub(super) fn int(value: &Value, path: &Path<'_>) -> Result<i64, ReadError> {
    value
        .as_i64()
        .ok_or_else(|| path.unexpected("an integer of 64 bits", value))
}

pub(super) fn double(value: &Value, path: &Path<'_>) -> Result<f64, ReadError> {
    value
        .as_f64()
        .filter(|value| value.is_finite())
        .ok_or_else(|| path.unexpected("a number", value))
}

pub(super) fn boolean(value: &Value, path: &Path<'_>) -> Result<bool, ReadError> {
    value
        .as_bool()
        .ok_or_else(|| path.unexpected("true or false", value))
}

/// A line or a column.
pub(super) fn counted(value: &Value, path: &Path<'_>) -> Result<u32, ReadError> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number
        .filter(|number| *number > 0)
        .ok_or_else(|| path.unexpected("a number from 1", value))
}
