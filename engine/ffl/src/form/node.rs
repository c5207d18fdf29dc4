//! What identifies a node, and where it comes from.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use uuid::Uuid;

use crate::source::Origin;

/// The id of a node and, unless disabled, its place in the text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Node {
    /// UUIDv5 of the text and the path of the node in it: the same text gives the same ids.
    pub id: Uuid,
    /// Where the node is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// A range of a text in lines and columns, counted from 1; the end is exclusive.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    /// The line of the first character.
    pub line: u32,
    /// The column of the first character.
    pub column: u32,
    /// The line of the end.
    pub end_line: u32,
    /// The column of the end.
    pub end_column: u32,
    /// The name of the text, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_id: Option<Arc<str>>,
    /// Why the text is part of the program, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// Why a text is part of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// Named by the caller, or found in a library.
    #[serde(rename = "type")]
    pub origin: Origin,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.source_id {
            write!(f, "{name}:")?;
        }
        write!(f, "{}:{}", self.line, self.column)
    }
}
