//! Text with `{{ CEL }}` in it.

use serde_json::Value;

use super::evaluate::{Compiled, EvaluateError};
use super::parse::{Names, ParseError, Parsed};
use super::scope::Scope;
use crate::definition::{self, Expression, canonical};
use crate::limits::Limits;

/// A template that is ready to be rendered, as often as needed.
///
/// Text is inserted as it is, any other value as canonical JSON. An expression ends at the first
/// `}}` that is outside of its texts and closes no brace of its own.
#[derive(Debug, Clone)]
pub struct Template(Vec<Part>);

#[derive(Debug, Clone)]
enum Part {
    Text(String),
    Value(Compiled),
}

/// Why a template is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// An expression has no end.
    #[error("an expression of the template has no end: write }}}} after it: offset={offset}")]
    Open {
        /// Where it begins, in bytes.
        offset: usize,
    },
    /// An expression is refused.
    #[error("an expression of the template is refused: {source}: offset={offset}")]
    Expression {
        /// Where it begins, in bytes.
        offset: usize,
        /// Why.
        source: ParseError,
    },
}

impl Template {
    /// Compiles a template.
    ///
    /// # Errors
    /// [`TemplateError`] if an expression has no end or is refused.
    pub fn compile(
        template: &definition::Template,
        limits: &Limits,
    ) -> Result<Self, TemplateError> {
        let parts = split(template.as_str())?
            .into_iter()
            .map(|piece| match piece {
                Piece::Text(text) => Ok(Part::Text(text.to_owned())),
                Piece::Source { offset, source } => {
                    let compiled =
                        Compiled::compile(&Expression::new(source), Names::State, limits);
                    let refused = |source| TemplateError::Expression { offset, source };
                    compiled.map(Part::Value).map_err(refused)
                }
            });
        parts.collect::<Result<_, _>>().map(Self)
    }

    /// Returns the text with the values of its expressions.
    ///
    /// # Errors
    /// [`EvaluateError`] of the first expression that fails.
    pub fn render(&self, scope: &Scope<'_>) -> Result<String, EvaluateError> {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Value(compiled) => match compiled.evaluate(scope)? {
                    Value::String(value) => text.push_str(&value),
                    other => text.push_str(&canonical(&other)),
                },
            }
        }
        Ok(text)
    }
}

/// Reads the expressions of a template, each with its offset.
pub(crate) fn expressions(
    template: &definition::Template,
    limits: &Limits,
) -> Result<Vec<(usize, Parsed)>, TemplateError> {
    let mut list = Vec::new();
    for piece in split(template.as_str())? {
        if let Piece::Source { offset, source } = piece {
            let parsed = Parsed::parse(&Expression::new(source), Names::State, limits);
            list.push((
                offset,
                parsed.map_err(|source| TemplateError::Expression { offset, source })?,
            ));
        }
    }
    Ok(list)
}

enum Piece<'a> {
    Text(&'a str),
    Source { offset: usize, source: &'a str },
}

fn split(template: &str) -> Result<Vec<Piece<'_>>, TemplateError> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(begin) = rest.find("{{") {
        let offset = template.len() - rest.len() + begin;
        let source = &rest[begin + 2..];
        let end = end_of(source).ok_or(TemplateError::Open { offset })?;
        if begin > 0 {
            pieces.push(Piece::Text(&rest[..begin]));
        }
        pieces.push(Piece::Source {
            offset: offset + 2,
            source: &source[..end],
        });
        rest = &source[end + 2..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    Ok(pieces)
}

/// Finds the `}}` that ends an expression: outside of its texts and of its own braces.
fn end_of(source: &str) -> Option<usize> {
    let bytes = source.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    let mut quote = None;
    while at < bytes.len() {
        match (quote, bytes[at]) {
            (Some(_), b'\\') => at += 1,
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, byte @ (b'"' | b'\'')) => quote = Some(byte),
            (None, b'{') => depth += 1,
            (None, b'}') if depth > 0 => depth -= 1,
            (None, b'}') if bytes.get(at + 1) == Some(&b'}') => return Some(at),
            (None, _) => {}
        }
        at += 1;
    }
    None
}
