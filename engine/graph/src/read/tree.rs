//! What every format is parsed into: JSON whose values have places.

use serde_json::{Map, Value};

use super::source::{Place, Places, ReadError};
use crate::pointer;

/// The deepest nesting of lists and objects in a definition.
///
/// The YAML parser needs about 30 kB of stack per level in a build without optimization, and test
/// threads have 2 MiB.
pub(super) const MOST_DEPTH: usize = 48;

pub(super) fn too_deep(place: Place) -> ReadError {
    let message = format!("lists and objects are nested too deeply: most={MOST_DEPTH}");
    ReadError::new(message, Some(place))
}

/// A value and its place.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) place: Place,
    pub(super) branch: Branch,
}

/// A value whose parts have places.
#[derive(Debug)]
pub(super) enum Branch {
    Leaf(Value),
    List(Vec<Tree>),
    Object(Vec<(String, Place, Tree)>),
    /// A value that JSON cannot hold.
    Invalid(String),
}

impl Branch {
    #[cfg(any(feature = "yaml", feature = "toml"))]
    pub(super) fn float(float: f64) -> Self {
        match serde_json::Number::from_f64(float) {
            Some(number) => Self::Leaf(Value::Number(number)),
            None => Self::Invalid(format!(
                "a number is not finite; JSON cannot hold it: got={float}"
            )),
        }
    }

    pub(super) fn too_large(number: impl std::fmt::Display) -> Self {
        Self::Invalid(format!(
            "a whole number does not fit into 64 bits; write it as text: got={number}"
        ))
    }
}

impl Tree {
    /// Separates values and places.
    pub(super) fn flatten(
        self,
        at: String,
        depth: usize,
        places: &mut Places,
    ) -> Result<Value, ReadError> {
        if depth > MOST_DEPTH {
            return Err(ReadError {
                pointer: at,
                ..too_deep(self.place)
            });
        }
        let value = match self.branch {
            Branch::Leaf(value) => value,
            Branch::List(elements) => {
                let mut list = Vec::with_capacity(elements.len());
                for (index, element) in elements.into_iter().enumerate() {
                    list.push(element.flatten(format!("{at}/{index}"), depth + 1, places)?);
                }
                Value::Array(list)
            }
            Branch::Object(fields) => {
                let mut object = Map::new();
                for (name, place, field) in fields {
                    let inner = pointer::field(&at, &name);
                    if object.contains_key(&name) {
                        let message = format!("a key is given twice: key={name:?}");
                        return Err(ReadError {
                            message,
                            pointer: inner,
                            place: Some(place),
                        });
                    }
                    let value = field.flatten(inner.clone(), depth + 1, places)?;
                    places.put(inner, place);
                    object.insert(name, value);
                }
                Value::Object(object)
            }
            Branch::Invalid(message) => {
                return Err(ReadError {
                    message,
                    pointer: at,
                    place: Some(self.place),
                });
            }
        };
        places.put(at, self.place);
        Ok(value)
    }
}

/// Finds lines and columns of byte offsets.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0)
            .chain(ends.map(|(end, _)| end + 1))
            .collect();
        Self { text, starts }
    }

    pub(super) fn place(&self, offset: usize) -> Place {
        let line = self.starts.partition_point(|start| *start <= offset);
        let before = self
            .text
            .get(self.starts[line - 1]..offset)
            .unwrap_or_default();
        Place {
            line,
            column: before.chars().count() + 1,
        }
    }
    /// Returns the plain YAML scalar at a place, without its anchor.
    #[cfg(feature = "yaml")]
    pub(super) fn token(&self, place: Place) -> &'a str {
        let start = self
            .starts
            .get(place.line - 1)
            .copied()
            .unwrap_or(self.text.len());
        let line = self.text[start..].lines().next().unwrap_or_default();
        let column = line
            .char_indices()
            .nth(place.column - 1)
            .map_or(line.len(), |(at, _)| at);
        let mut words = line[column..].split([' ', ',', ']', '}', '\t']);
        words
            .find(|word| !word.is_empty() && !word.starts_with('&'))
            .unwrap_or_default()
    }
}
