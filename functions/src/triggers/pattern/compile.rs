//! Reads patterns from JSON.

use ipnet::IpNet;
use serde_json::{Map, Value};

use super::matcher::{Matcher, Order, Part};
use super::node::{Field, Node};
use super::wildcard::Wildcard;
use crate::triggers::near::near;

/// Maximum number of nested objects in a pattern.
const MAX_DEPTH: usize = 32;
/// Maximum number of values and matchers in a pattern.
const MAX_MATCHERS: usize = 1_000;

/// The names of the kinds of matchers.
const KINDS: [&str; 8] = [
    "prefix",
    "suffix",
    "equals-ignore-case",
    "wildcard",
    "numeric",
    "exists",
    "cidr",
    "anything-but",
];

/// An error in a pattern, with its path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at {}: {why}", if .at.is_empty() { "the top" } else { .at })]
pub struct PatternError {
    /// The path of the field.
    pub at: String,
    /// What is wrong, and what would be valid.
    pub why: String,
}

type Compiled<T> = Result<T, String>;

pub(super) fn compile(pattern: &Value) -> Result<Node, PatternError> {
    let mut compiler = Compiler::default();
    let top = compiler.node(pattern);
    top.map_err(|why| PatternError {
        at: compiler.path.join("."),
        why,
    })
}

#[derive(Default)]
struct Compiler {
    path: Vec<String>,
    matchers: usize,
}

impl Compiler {
    fn node(&mut self, value: &Value) -> Compiled<Node> {
        let Value::Object(map) = value else {
            return Err(format!("expected an object with fields: got={value}"));
        };
        if map.is_empty() {
            return Err("an object without fields matches nothing".to_owned());
        }
        if self.path.len() > MAX_DEPTH {
            return Err(format!("objects have more than {MAX_DEPTH} levels"));
        }
        let mut node = Node::default();
        for (name, value) in map {
            self.path.push(name.clone());
            if name == "$or" {
                node.or = self.alternatives(value)?;
            } else {
                let field = self.field(value)?;
                node.fields.push((name.clone(), field));
            }
            // Only on success: an error keeps the path where it was found.
            self.path.pop();
        }
        Ok(node)
    }

    fn alternatives(&mut self, value: &Value) -> Compiled<Vec<Node>> {
        match value.as_array() {
            Some(all) if all.len() >= 2 => all.iter().map(|one| self.node(one)).collect(),
            _ => Err("`$or` must be an array of at least two objects".to_owned()),
        }
    }

    fn field(&mut self, value: &Value) -> Compiled<Field> {
        match value {
            Value::Object(_) => self.node(value).map(Field::Inside),
            Value::Array(all) if all.is_empty() => Err("an empty array matches nothing".to_owned()),
            Value::Array(all) => {
                let matchers = all.iter().map(|one| self.matcher(one));
                matchers.collect::<Compiled<_>>().map(Field::AnyOf)
            }
            scalar => Err(format!("values must be in an array: [{scalar}]")),
        }
    }

    fn matcher(&mut self, value: &Value) -> Compiled<Matcher> {
        self.matchers += 1;
        if self.matchers > MAX_MATCHERS {
            return Err(format!(
                "the pattern has more than {MAX_MATCHERS} values and matchers"
            ));
        }
        match value {
            Value::Array(_) => Err("an array cannot contain an array".to_owned()),
            Value::Object(map) => self.condition(map),
            scalar => Ok(Matcher::Equal(scalar.clone())),
        }
    }

    fn condition(&mut self, map: &Map<String, Value>) -> Compiled<Matcher> {
        let mut entries = map.iter();
        let (Some((kind, value)), None) = (entries.next(), entries.next()) else {
            return Err(format!(
                "a matcher must have one key, one of {}",
                KINDS.join(", ")
            ));
        };
        match kind.as_str() {
            "prefix" => part(kind, value).map(Matcher::Prefix),
            "suffix" => part(kind, value).map(Matcher::Suffix),
            "equals-ignore-case" => Ok(Matcher::Folded(text(kind, value)?.to_lowercase())),
            "wildcard" => match Wildcard::parse(text(kind, value)?) {
                Ok(wildcard) => Ok(Matcher::Wildcard(wildcard)),
                Err(why) => Err(format!("`wildcard`: {why}")),
            },
            "numeric" => numeric(value),
            "exists" => match value {
                Value::Bool(there) => Ok(Matcher::Exists(*there)),
                _ => Err("`exists` requires true or false".to_owned()),
            },
            "cidr" => cidr(text(kind, value)?),
            "anything-but" => self.anything_but(value).map(Matcher::AnythingBut),
            other => {
                let meant = near(other, &KINDS);
                let meant = meant.map(|kind| format!("; did you mean `{kind}`?"));
                Err(format!(
                    "unknown matcher `{other}`{}: known={}",
                    meant.unwrap_or_default(),
                    KINDS.join(",")
                ))
            }
        }
    }

    fn anything_but(&mut self, value: &Value) -> Compiled<Vec<Matcher>> {
        let kinds = ["prefix", "suffix", "equals-ignore-case", "wildcard"];
        match value {
            Value::Array(all) if all.is_empty() => {
                Err("`anything-but` requires a value; `exists: true` matches any".to_owned())
            }
            Value::Array(all) if all.iter().all(is_plain) => {
                all.iter().map(|one| self.matcher(one)).collect()
            }
            Value::Object(map) => {
                let mut entries = map.iter();
                let (Some((kind, value)), None) = (entries.next(), entries.next()) else {
                    return Err("`anything-but` accepts one kind of matcher".to_owned());
                };
                if !kinds.contains(&kind.as_str()) {
                    let kinds = kinds.join(", ");
                    return Err(format!(
                        "`anything-but` accepts values or one of {kinds}: got={kind}"
                    ));
                }
                let all = match value {
                    Value::Array(all) if !all.is_empty() => all.iter().collect(),
                    one => vec![one],
                };
                let condition = |one: &Value| Map::from_iter([(kind.clone(), one.clone())]);
                all.into_iter()
                    .map(|one| self.condition(&condition(one)))
                    .collect()
            }
            plain if is_plain(plain) => Ok(vec![self.matcher(plain)?]),
            _ => {
                Err("`anything-but` requires a value, an array of values, or a matcher".to_owned())
            }
        }
    }
}

fn is_plain(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

fn text<'a>(kind: &str, value: &'a Value) -> Compiled<&'a str> {
    match value.as_str() {
        Some(text) => Ok(text),
        None => Err(format!("`{kind}` requires text: got={value}")),
    }
}

fn part(kind: &str, value: &Value) -> Compiled<Part> {
    if let Some(map) = value.as_object() {
        let inner = map.get("equals-ignore-case").filter(|_| map.len() == 1);
        let inner = inner.ok_or_else(|| {
            format!("`{kind}` requires text, or {{\"equals-ignore-case\": text}}: got={value}")
        })?;
        let text = text(kind, inner)?.to_lowercase();
        return Ok(Part { text, folded: true });
    }
    let text = text(kind, value)?.to_owned();
    Ok(Part {
        text,
        folded: false,
    })
}

fn numeric(value: &Value) -> Compiled<Matcher> {
    let rule = || {
        format!(
            "`numeric` requires [sign, number] or a range [\">\", low, \"<\", high]; signs are \
             =, <, <=, >, >=: got={value}"
        )
    };
    let all = value.as_array().ok_or_else(rule)?;
    let bounds = all.chunks(2).map(|pair| {
        let [sign, number] = pair else {
            return Err(rule());
        };
        let order = Order::ALL
            .into_iter()
            .find(|(text, _)| sign.as_str() == Some(text));
        let (_, order) = order.ok_or_else(rule)?;
        Ok((order, number.as_f64().ok_or_else(rule)?))
    });
    let bounds: Vec<(Order, f64)> = bounds.collect::<Compiled<_>>()?;
    match bounds.as_slice() {
        [_] => {}
        [
            (Order::More | Order::AtLeast, low),
            (Order::Less | Order::AtMost, high),
        ] => {
            if low >= high {
                return Err(format!("`numeric`: no number is between {low} and {high}"));
            }
        }
        _ => return Err(rule()),
    }
    Ok(Matcher::Numeric(bounds))
}

fn cidr(text: &str) -> Compiled<Matcher> {
    let network = text.parse::<IpNet>().map(Matcher::Cidr);
    network.map_err(|_| {
        format!("`cidr` requires a network such as 10.0.0.0/8 or fd00::/8: got={text}")
    })
}
