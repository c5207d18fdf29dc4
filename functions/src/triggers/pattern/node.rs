//! The conditions of a pattern, and how they match.

use std::fmt;

use serde_json::Value;

use super::matcher::Matcher;
use crate::triggers::near::short;

/// Conditions of an object.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Node {
    pub(super) fields: Vec<(String, Field)>,
    /// Empty, or the alternatives of `$or`.
    pub(super) or: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Field {
    Inside(Node),
    AnyOf(Vec<Matcher>),
}

impl Node {
    /// The first mismatch of `value` at `path`; `None` if it matches.
    pub(super) fn mismatch<'a>(&'a self, value: &Value, path: &mut Vec<&'a str>) -> Option<String> {
        for (name, field) in &self.fields {
            path.push(name);
            let child = value.get(name);
            let why = match field {
                Field::AnyOf(matchers) => leaf(matchers, child, path),
                Field::Inside(node) => node.inside(child, path),
            };
            path.pop();
            if why.is_some() {
                return why;
            }
        }
        let mut whys = Vec::new();
        for alternative in &self.or {
            match alternative.mismatch(value, path) {
                None => return None,
                Some(why) => whys.push(why),
            }
        }
        (!whys.is_empty()).then(|| format!("no alternative matches: {}", whys.join("; ")))
    }

    /// The mismatch of the object, or objects, of a field.
    fn inside<'a>(&'a self, child: Option<&Value>, path: &mut Vec<&'a str>) -> Option<String> {
        let values = members(child);
        let mut objects = values.iter().filter(|value| value.is_object()).peekable();
        if objects.peek().is_none() {
            // It matches if every condition requires the absence of a field.
            return self.mismatch(&Value::Null, path);
        }
        let mut first = None;
        for object in objects {
            match self.mismatch(object, path) {
                None => return None,
                why => first = first.or(why),
            }
        }
        first
    }
}

fn leaf(matchers: &[Matcher], child: Option<&Value>, path: &[&str]) -> Option<String> {
    let values = members(child);
    let fits = matchers.iter().any(|matcher| match matcher {
        Matcher::Exists(there) => *there != values.is_empty(),
        matcher => values.iter().any(|value| matcher.matches(value)),
    });
    if fits {
        return None;
    }
    let path = path.join(".");
    let wanted = Wanted(matchers);
    Some(match child {
        None => format!("{path} is missing; expected {wanted}"),
        Some(value) => format!("{path} is {}, not {wanted}", short(value)),
    })
}

/// The values of a field: its own, or the elements of its array.
fn members(child: Option<&Value>) -> Vec<&Value> {
    match child {
        None => Vec::new(),
        Some(Value::Array(items)) => items.iter().flat_map(|item| members(Some(item))).collect(),
        Some(value) => vec![value],
    }
}

struct Wanted<'a>(&'a [Matcher]);

impl fmt::Display for Wanted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, matcher) in self.0.iter().enumerate() {
            if n > 0 {
                f.write_str(" or ")?;
            }
            write!(f, "{matcher}")?;
        }
        Ok(())
    }
}
