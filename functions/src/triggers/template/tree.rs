//! Templates of any JSON value.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::path::Path;
use super::text::{Piece, pieces, render, scalar};
use crate::triggers::near::short;

/// Maximum nesting depth of a template.
const MAX_DEPTH: usize = 32;

/// A value in which texts refer to the event.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Value")]
pub(crate) enum Template {
    /// A constant.
    Plain(Value),
    /// The value at a path.
    Path(Path),
    /// A text that contains paths.
    Text(Text),
    /// An array of templates.
    Array(Vec<Template>),
    /// An object of templates; its names are constant.
    Object(Vec<(String, Template)>),
}

/// A text that contains paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text(Vec<Piece>);

/// A template that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub(crate) struct InvalidTemplate {
    /// What is wrong.
    pub(crate) why: String,
}

/// A template that cannot be rendered for an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub(crate) struct TemplateError {
    /// What is wrong.
    pub(crate) why: String,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// [`InvalidTemplate`]: a path in it is invalid.
    pub(crate) fn new(template: &Value) -> Result<Self, InvalidTemplate> {
        Self::read(template, 0).map_err(|why| InvalidTemplate { why })
    }

    /// The whole event; in a rule with `each`, the line.
    pub(crate) fn whole(lines: bool) -> Self {
        let path = Path::parse(if lines { "$.line" } else { "$" });
        Self::Path(path.expect("both are paths"))
    }

    fn read(template: &Value, depth: usize) -> Result<Self, String> {
        if depth > MAX_DEPTH {
            return Err(format!("a template has more than {MAX_DEPTH} levels"));
        }
        Ok(match template {
            Value::String(text) if Path::is(text) => Self::Path(Path::parse(text)?),
            Value::String(text) => match pieces(text)?.as_slice() {
                [Piece::Plain(text)] => Self::Plain(text.as_str().into()),
                pieces => Self::Text(Text(pieces.to_vec())),
            },
            Value::Array(all) => {
                let all = all.iter().map(|one| Self::read(one, depth + 1));
                Self::Array(all.collect::<Result<_, _>>()?)
            }
            Value::Object(all) => {
                let all = all
                    .iter()
                    .map(|(name, one)| Ok((name.clone(), Self::read(one, depth + 1)?)));
                Self::Object(all.collect::<Result<_, String>>()?)
            }
            plain => Self::Plain(plain.clone()),
        })
    }

    /// Renders it for `event`.
    ///
    /// # Errors
    /// [`TemplateError`]: the event has no value for a path.
    pub(crate) fn render(&self, event: &Value) -> Result<Value, TemplateError> {
        let error = |why| TemplateError { why };
        Ok(match self {
            Self::Plain(value) => value.clone(),
            Self::Path(path) => path.get(event).map_err(error)?,
            Self::Text(Text(pieces)) => render(pieces, event).map_err(error)?.into(),
            Self::Array(all) => {
                let all = all.iter().map(|one| one.render(event));
                Value::Array(all.collect::<Result<_, _>>()?)
            }
            Self::Object(all) => {
                let all = all
                    .iter()
                    .map(|(name, one)| Ok((name.clone(), one.render(event)?)));
                Value::Object(all.collect::<Result<Map<_, _>, TemplateError>>()?)
            }
        })
    }

    /// Renders it for `event`, as text that is not empty.
    ///
    /// # Errors
    /// [`TemplateError`]: the text is empty, or the event has no value for a path.
    pub(crate) fn render_text(&self, event: &Value) -> Result<String, TemplateError> {
        let value = self.render(event)?;
        match scalar(&value) {
            Some(text) if !text.is_empty() => Ok(text),
            Some(_) => Err(TemplateError {
                why: "the result is empty".to_owned(),
            }),
            None => Err(TemplateError {
                why: format!("the result is not text: value={}", short(&value)),
            }),
        }
    }

    /// The first path in it that exists only for a line of an object.
    pub(crate) fn of_line(&self) -> Option<&Path> {
        self.path(|first| matches!(first, Some("line" | "line_number")))
    }

    /// The first path in it to a part of a request that signatures do not cover.
    pub(crate) fn of_unsigned(&self) -> Option<&Path> {
        self.path(|first| first != Some("body"))
    }

    /// The first path in it whose first name satisfies `wanted`.
    fn path(&self, wanted: impl Fn(Option<&str>) -> bool) -> Option<&Path> {
        let mut paths = Vec::new();
        self.paths(&mut paths);
        paths.into_iter().find(|path| wanted(path.first()))
    }

    fn paths<'a>(&'a self, out: &mut Vec<&'a Path>) {
        match self {
            Self::Plain(_) => {}
            Self::Path(path) => out.push(path),
            Self::Text(Text(pieces)) => out.extend(pieces.iter().filter_map(|piece| match piece {
                Piece::Path(path) => Some(path),
                Piece::Plain(_) => None,
            })),
            Self::Array(all) => all.iter().for_each(|one| one.paths(out)),
            Self::Object(all) => all.iter().for_each(|(_, one)| one.paths(out)),
        }
    }
}

impl TryFrom<Value> for Template {
    type Error = InvalidTemplate;

    fn try_from(template: Value) -> Result<Self, InvalidTemplate> {
        Self::new(&template)
    }
}
