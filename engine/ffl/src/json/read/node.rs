//! Ids and places.

use serde_json::Value;
use uuid::Uuid;

use super::object::{Object, Path};
use super::scalar::{counted, text};
use crate::form::{Location, Node, Provenance};
use crate::json::ReadError;
use crate::source::Origin;

pub(super) fn node(object: &Object<'_, '_>) -> Result<Node, ReadError> {
    Ok(Node {
        id: object.required("id", id)?,
        location: object.optional("location", location)?,
    })
}

fn id(value: &Value, path: &Path<'_>) -> Result<Uuid, ReadError> {
    let text = value.as_str().and_then(|text| Uuid::try_parse(text).ok());
    text.ok_or_else(|| path.unexpected("a UUID", value))
}

pub(super) fn location(value: &Value, path: &Path<'_>) -> Result<Location, ReadError> {
    let object = Object::new(value, path)?;
    let location = Location {
        line: object.required("line", counted)?,
        column: object.required("column", counted)?,
        end_line: object.required("endLine", counted)?,
        end_column: object.required("endColumn", counted)?,
        source_id: object.optional("sourceId", text)?.map(Into::into),
        provenance: object.optional("provenance", provenance)?,
    };
    object.end()?;
    Ok(location)
}

fn provenance(value: &Value, path: &Path<'_>) -> Result<Provenance, ReadError> {
    let (object, ty) = Object::node(value, path)?;
    let origin = match ty {
        "primary" => Origin::Primary,
        "library" => Origin::Library,
        _ => return Err(object.unknown_type(ty)),
    };
    object.end()?;
    Ok(Provenance { origin })
}
