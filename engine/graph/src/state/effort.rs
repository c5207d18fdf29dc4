//! How often a schema is applied to one part of a value.
//!
//! `allOf: [{$ref: x}, {$ref: x}]` applies x twice. If x does the same with y, y is applied four
//! times, and thirty such steps, or thirty levels of a value under a schema that refers to itself
//! twice, take hours. So the number is computed before a schema is used, and bounded.
//!
//! For a subschema s let `here(s)` be the number of subschemas that are applied to the same part, and
//! `most(s)` the largest number that are applied to any part at or below it. In each step down,
//! `most(s)` is the sum over the subschemas that s applies to the same element or field.

use std::collections::BTreeMap;

use serde_json::Value;

use super::schema::InvalidSchema;
use crate::pointer;

/// The most subschemas that are applied to one part of a value.
const MOST: u64 = 1_000;

/// The deepest value that is considered; JSON is not read deeper.
const DEPTH: usize = 128;

/// The most ways from a subschema to a subschema one level down.
const MOST_WAYS: usize = 200_000;

/// Where a subschema is applied, one level down.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Field(String),
    AnyField,
    Element(usize),
    AnyElement,
}

#[derive(Debug, Default)]
struct Node {
    /// Subschemas that are applied to the same value.
    same: Vec<usize>,
    /// Subschemas that are applied one level down.
    below: Vec<(Place, usize)>,
}

/// Refuses a schema that is applied to one part of a value too often, or without end.
pub(super) fn bounded(schema: &Value) -> Result<(), InvalidSchema> {
    let mut walk = Walk {
        root: schema,
        numbers: BTreeMap::new(),
        paths: Vec::new(),
        nodes: Vec::new(),
    };
    walk.number("")?;
    let mut at = 0;
    while at < walk.paths.len() {
        let node = walk.read(at)?;
        walk.nodes.push(node);
        at += 1;
    }
    let refuse = |number: usize, message: &str| {
        Err(InvalidSchema {
            path: walk.paths[number].clone(),
            message: message.to_owned(),
        })
    };
    let order = match order(&walk.nodes) {
        Ok(order) => order,
        Err(number) => return refuse(number, "the schema refers to itself without end"),
    };
    let Some((here, ways)) = ways(&walk.nodes, &order) else {
        return refuse(
            0,
            "the schema is too complex: it refers to its parts in too many ways",
        );
    };
    let mut most = here.clone();
    for _ in 0..DEPTH {
        let next: Vec<u64> = here
            .iter()
            .zip(&ways)
            .map(|(here, ways)| (*here).max(down(ways, &most)))
            .collect();
        if next.iter().any(|number| *number > MOST) {
            let number = next
                .iter()
                .position(|number| *number > MOST)
                .unwrap_or_default();
            let message =
                format!("the schema is applied to one part of a value more than {MOST} times");
            return refuse(number, &message);
        }
        if next == most {
            break;
        }
        most = next;
    }
    Ok(())
}

type Ways = BTreeMap<Place, BTreeMap<usize, u64>>;

/// The largest number of subschemas at one place below.
fn down(ways: &Ways, most: &[u64]) -> u64 {
    let sum = |place: &Place| {
        let targets = ways.get(place).into_iter().flatten();
        targets.fold(0_u64, |sum, (target, count)| {
            sum.saturating_add(count.saturating_mul(most[*target]))
        })
    };
    let (fields, elements) = (sum(&Place::AnyField), sum(&Place::AnyElement));
    let all = ways.keys().map(|place| match place {
        Place::Field(_) => sum(place).saturating_add(fields),
        Place::Element(_) => sum(place).saturating_add(elements),
        Place::AnyField | Place::AnyElement => sum(place),
    });
    all.max().unwrap_or(0)
}

/// Computes `here` and the ways one level down of each node, from the ends of the order on.
fn ways(nodes: &[Node], order: &[usize]) -> Option<(Vec<u64>, Vec<Ways>)> {
    let mut here = vec![0_u64; nodes.len()];
    let mut ways: Vec<Ways> = vec![Ways::new(); nodes.len()];
    let mut total = 0;
    for &number in order {
        let mut own = Ways::new();
        let mut count = 1_u64;
        for (place, target) in &nodes[number].below {
            *own.entry(place.clone())
                .or_default()
                .entry(*target)
                .or_default() += 1;
        }
        for &same in &nodes[number].same {
            count = count.saturating_add(here[same]);
            for (place, targets) in &ways[same] {
                for (target, more) in targets {
                    let entry = own
                        .entry(place.clone())
                        .or_default()
                        .entry(*target)
                        .or_default();
                    *entry = entry.saturating_add(*more);
                }
            }
        }
        total += own.values().map(BTreeMap::len).sum::<usize>();
        if total > MOST_WAYS {
            return None;
        }
        here[number] = count;
        ways[number] = own;
    }
    Some((here, ways))
}

/// Orders nodes so that each comes after those that it applies to the same value. Fails with a node
/// that applies itself.
fn order(nodes: &[Node]) -> Result<Vec<usize>, usize> {
    let mut order = Vec::with_capacity(nodes.len());
    // 0: not seen; 1: begun; 2: done.
    let mut marks = vec![0_u8; nodes.len()];
    for start in 0..nodes.len() {
        let mut stack = vec![(start, 0)];
        while let Some((number, next)) = stack.pop() {
            if next == 0 {
                match marks[number] {
                    0 => marks[number] = 1,
                    1 => return Err(number),
                    _ => continue,
                }
            }
            match nodes[number].same.get(next) {
                Some(&same) => {
                    stack.push((number, next + 1));
                    stack.push((same, 0));
                }
                None => {
                    marks[number] = 2;
                    order.push(number);
                }
            }
        }
    }
    Ok(order)
}

struct Walk<'a> {
    root: &'a Value,
    numbers: BTreeMap<String, usize>,
    paths: Vec<String>,
    nodes: Vec<Node>,
}

impl Walk<'_> {
    /// Returns the number of the subschema at a JSON Pointer.
    fn number(&mut self, path: &str) -> Result<usize, InvalidSchema> {
        if let Some(number) = self.numbers.get(path) {
            return Ok(*number);
        }
        if self.root.pointer(path).is_none() {
            return Err(InvalidSchema {
                path: String::new(),
                message: format!("no part of the schema is at {path:?}"),
            });
        }
        let number = self.paths.len();
        self.paths.push(path.to_owned());
        self.numbers.insert(path.to_owned(), number);
        Ok(number)
    }

    fn read(&mut self, number: usize) -> Result<Node, InvalidSchema> {
        let path = self.paths[number].clone();
        let mut node = Node::default();
        let Some(Value::Object(parts)) = self.root.pointer(&path) else {
            return Ok(node);
        };
        for (keyword, part) in parts {
            let at = pointer::field(&path, keyword);
            let invalid = |message: &str| InvalidSchema {
                path: at.clone(),
                message: message.to_owned(),
            };
            match (keyword.as_str(), part) {
                ("$id", _) if !path.is_empty() => {
                    return Err(invalid("only the whole schema may have an $id"));
                }
                ("$ref" | "$dynamicRef", Value::String(reference)) => {
                    let target = self
                        .target(reference)
                        .ok_or_else(|| invalid("no part of this schema has this name"))?;
                    node.same.push(self.number(&target)?);
                }
                ("not" | "if" | "then" | "else", _) => node.same.push(self.number(&at)?),
                ("allOf" | "anyOf" | "oneOf", Value::Array(list)) => {
                    for index in 0..list.len() {
                        node.same.push(self.number(&format!("{at}/{index}"))?);
                    }
                }
                ("dependentSchemas", Value::Object(fields)) => {
                    for name in fields.keys() {
                        node.same.push(self.number(&pointer::field(&at, name))?);
                    }
                }
                ("properties", Value::Object(fields)) => {
                    for name in fields.keys() {
                        let target = self.number(&pointer::field(&at, name))?;
                        node.below.push((Place::Field(name.clone()), target));
                    }
                }
                ("patternProperties", Value::Object(fields)) => {
                    for name in fields.keys() {
                        node.below
                            .push((Place::AnyField, self.number(&pointer::field(&at, name))?));
                    }
                }
                ("additionalProperties" | "unevaluatedProperties" | "propertyNames", _) => {
                    node.below.push((Place::AnyField, self.number(&at)?));
                }
                ("prefixItems", Value::Array(list)) => {
                    for index in 0..list.len() {
                        node.below.push((
                            Place::Element(index),
                            self.number(&format!("{at}/{index}"))?,
                        ));
                    }
                }
                ("items" | "contains" | "unevaluatedItems", _) => {
                    node.below.push((Place::AnyElement, self.number(&at)?));
                }
                _ => {}
            }
        }
        Ok(node)
    }

    /// Returns the JSON Pointer that a reference within the schema leads to.
    fn target(&self, reference: &str) -> Option<String> {
        let fragment = reference.strip_prefix('#')?;
        if fragment.is_empty() || fragment.starts_with('/') {
            let target = decoded(fragment)?;
            return self.root.pointer(&target).map(|_| target);
        }
        let mut open = vec![(String::new(), self.root)];
        while let Some((path, part)) = open.pop() {
            match part {
                Value::Object(parts) => {
                    let named = ["$anchor", "$dynamicAnchor"]
                        .iter()
                        .any(|name| parts.get(*name).is_some_and(|name| name == fragment));
                    if named {
                        return Some(path);
                    }
                    open.extend(
                        parts
                            .iter()
                            .map(|(name, part)| (pointer::field(&path, name), part)),
                    );
                }
                Value::Array(list) => {
                    open.extend(
                        list.iter()
                            .enumerate()
                            .map(|(index, part)| (format!("{path}/{index}"), part)),
                    );
                }
                _ => {}
            }
        }
        None
    }
}

/// Decodes `%41` to `A`.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        bytes.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
    }
    String::from_utf8(bytes).ok()
}
