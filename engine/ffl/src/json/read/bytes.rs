//! Bytes to JSON values, with a limit of nesting.

use serde::Deserialize;
use serde_json::Value;

use super::decl::program;
use super::object::Path;
use crate::form::Program;
use crate::json::ReadError;

/// The most levels to which a JSON form nests. A text of the deepest nesting has fewer.
pub const MAX_FORM_DEPTH: usize = 1_500;

/// Reads the JSON form of a program.
///
/// # Errors
///
/// [`ReadError`] if the bytes are not JSON, or not the form of a program that this version
/// supports.
pub fn read(bytes: &[u8]) -> Result<Program, ReadError> {
    program(&parse_json(bytes)?, &Path::Root)
}

/// Reads JSON that nests more deeply than `serde_json` allows by default.
pub(crate) fn parse_json(bytes: &[u8]) -> Result<Value, ReadError> {
    if depth(bytes) > MAX_FORM_DEPTH {
        return Err(ReadError::TooDeep);
    }
    let mut json = serde_json::Deserializer::from_slice(bytes);
    json.disable_recursion_limit();
    let read = Value::deserialize(&mut json).and_then(|value| json.end().map(|()| value));
    read.map_err(|error| ReadError::NotJson {
        message: error.to_string(),
    })
}

/// The depth of brackets outside strings; in what is not JSON, an upper bound of the depth to which
/// the parser recurses.
fn depth(bytes: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut in_string = false;
    let mut escaped = false;
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
