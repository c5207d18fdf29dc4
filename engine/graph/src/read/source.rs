//! A text as JSON, and the place of each value in it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::json;
use super::tree::Tree;

/// The format of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON.
    Json,
    /// YAML 1.2.
    #[cfg(feature = "yaml")]
    Yaml,
    /// TOML.
    #[cfg(feature = "toml")]
    Toml,
}

impl Format {
    /// Returns the format of files with this extension, without its dot.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "json" => Some(Self::Json),
            #[cfg(feature = "yaml")]
            "yaml" | "yml" => Some(Self::Yaml),
            #[cfg(feature = "toml")]
            "toml" => Some(Self::Toml),
            _ => None,
        }
    }
}

/// A place in a text; lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// The place of each value of a text, by its JSON Pointer.
///
/// The place of a field is that of its name; the place of an element is that of its value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places(BTreeMap<String, Place>);

impl Places {
    /// Returns the place of the value at `pointer`, or of the nearest value around it.
    #[must_use]
    pub fn find(&self, pointer: &str) -> Option<Place> {
        let mut pointer = pointer;
        loop {
            if let Some(place) = self.0.get(pointer) {
                return Some(*place);
            }
            pointer = &pointer[..pointer.rfind('/')?];
        }
    }

    pub(super) fn put(&mut self, pointer: String, place: Place) {
        self.0.insert(pointer, place);
    }
}

/// A text as JSON, and the place of each value in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The JSON.
    pub value: Value,
    /// The places.
    pub places: Places,
}

/// A text that is not valid in its format, or that JSON cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the definition: {message}")]
pub struct ReadError {
    /// What is wrong.
    pub message: String,
    /// The JSON Pointer of the value, as far as it is known.
    pub pointer: String,
    /// The place, as far as it is known.
    pub place: Option<Place>,
}

impl ReadError {
    pub(super) fn new(message: impl Into<String>, place: Option<Place>) -> Self {
        Self {
            message: message.into(),
            pointer: String::new(),
            place,
        }
    }
}

/// Reads a text.
///
/// # Errors
/// [`ReadError`] with the place, if the text is not valid in its format or JSON cannot hold it.
pub fn read(text: &str, format: Format) -> Result<Source, ReadError> {
    let tree: Tree = match format {
        Format::Json => json::parse(text),
        #[cfg(feature = "yaml")]
        Format::Yaml => super::yaml::parse(text),
        #[cfg(feature = "toml")]
        Format::Toml => super::toml::parse(text),
    }?;
    let mut places = Places::default();
    let value = tree.flatten(String::new(), 0, &mut places)?;
    Ok(Source { value, places })
}
