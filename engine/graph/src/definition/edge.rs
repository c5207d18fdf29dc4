//! An edge: `a -> b`, or an object with a condition.

use serde::{Deserialize, Serialize, de};
use serde_json::Value;

use super::ids::NodeId;
use super::strict::{is_false, present};
use super::text::Expression;

/// An edge between two nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The source.
    pub from: NodeId,
    /// The destination.
    pub to: NodeId,
    /// When it is taken.
    pub when: When,
}

/// When an edge is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// Each time.
    Always,
    /// If the condition is true.
    If(Expression),
    /// If no other edge of the source is taken.
    Else,
}

/// The written form of an edge.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    from: NodeId,
    to: NodeId,
    #[serde(
        rename = "if",
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    condition: Option<Expression>,
    #[serde(rename = "else", default, skip_serializing_if = "is_false")]
    otherwise: bool,
}

impl Serialize for Edge {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let condition = match &self.when {
            When::If(condition) => Some(condition.clone()),
            When::Always | When::Else => None,
        };
        let otherwise = self.when == When::Else;
        let (from, to) = (self.from.clone(), self.to.clone());
        Fields {
            from,
            to,
            condition,
            otherwise,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Edge {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match value.as_str() {
            Some(text) => short(text).map_err(de::Error::custom),
            None => long(value).map_err(de::Error::custom),
        }
    }
}

fn short(text: &str) -> Result<Edge, String> {
    let ends = text
        .split_once("->")
        .ok_or_else(|| format!("an edge is written as `a -> b`: got={text:?}"))?;
    let id = |end: &str| NodeId::parse(end.trim_matches(' ')).map_err(|error| error.to_string());
    Ok(Edge {
        from: id(ends.0)?,
        to: id(ends.1)?,
        when: When::Always,
    })
}

fn long(value: Value) -> Result<Edge, serde_json::Error> {
    // `else: false` would be an edge that is always taken, which nobody means.
    if value
        .get("else")
        .is_some_and(|otherwise| otherwise != &Value::Bool(true))
    {
        return Err(de::Error::custom("`else` of an edge can only be true"));
    }
    let fields = Fields::deserialize(value)?;
    let when = match (fields.condition, fields.otherwise) {
        (Some(_), true) => {
            return Err(de::Error::custom(
                "an edge has at most one of `if` and `else`",
            ));
        }
        (Some(condition), false) => When::If(condition),
        (None, true) => When::Else,
        (None, false) => When::Always,
    };
    Ok(Edge {
        from: fields.from,
        to: fields.to,
        when,
    })
}
