//! Stored programs.

use serde_json::Value;

use super::decl::program;
use super::object::{Object, Path};
use super::scalar::{counted, text};
use crate::json::{Document, Format, ReadError};
use crate::program::SourceDigest;
use crate::source::Origin;

/// Reads a stored program whose format is supported.
pub(crate) fn read_stored(value: &Value) -> Result<Document, ReadError> {
    let object = Object::new(value, &Path::Root)?;
    let document = Document {
        format: object.required("format", format)?,
        compiler: object.required("compiler", text)?,
        sources: object.list("sources", source)?,
        program: object.required("program", program)?,
    };
    object.end()?;
    Ok(document)
}

fn format(value: &Value, path: &Path<'_>) -> Result<Format, ReadError> {
    let object = Object::new(value, path)?;
    let format = Format {
        version: object.required("version", counted)?,
        edition: object.required("edition", counted)?,
    };
    object.end()?;
    Ok(format)
}

fn source(value: &Value, path: &Path<'_>) -> Result<SourceDigest, ReadError> {
    let object = Object::new(value, path)?;
    let source = SourceDigest {
        name: object.required("name", text)?,
        origin: object.required("origin", |value, path| match value.as_str() {
            Some("primary") => Ok(Origin::Primary),
            Some("library") => Ok(Origin::Library),
            _ => Err(path.unexpected("primary or library", value)),
        })?,
        sha256: object.required("sha256", |value, path| {
            let digest = text(value, path)?;
            let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            if digest.len() == 64 && digest.bytes().all(is_hex) {
                Ok(digest)
            } else {
                Err(path.unexpected("64 hexadecimal digits", value))
            }
        })?,
    };
    object.end()?;
    Ok(source)
}
