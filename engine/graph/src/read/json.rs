//! JSON with places.
//!
//! `serde_json` gives no positions, but it can leave a part of its input as it is: the distance
//! between that part and the beginning of the text is the position. Each level of nesting is
//! scanned once more, so the price is length times depth, and the depth is bounded.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::source::{Place, ReadError};
use super::tree::{Branch, Lines, MOST_DEPTH, Tree, too_deep};

pub(super) fn parse(text: &str) -> Result<Tree, ReadError> {
    let lines = Lines::new(text);
    let whole: &RawValue = serde_json::from_str(text).map_err(|error| failed(&error))?;
    Reader { text, lines }.tree(whole, 0)
}

fn failed(error: &serde_json::Error) -> ReadError {
    let place = Place {
        line: error.line().max(1),
        column: error.column().max(1),
    };
    // The place is shown apart from the message.
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or_default();
    ReadError::new(message, Some(place))
}

struct Reader<'a> {
    text: &'a str,
    lines: Lines<'a>,
}

impl<'a> Reader<'a> {
    fn place(&self, raw: &RawValue) -> Place {
        let offset = raw.get().as_ptr().addr() - self.text.as_ptr().addr();
        self.lines.place(offset)
    }

    fn tree(&self, raw: &'a RawValue, depth: usize) -> Result<Tree, ReadError> {
        let place = self.place(raw);
        // serde_json skips a part without recursion, so it does not bound the depth here.
        if depth > MOST_DEPTH {
            return Err(too_deep(place));
        }
        let at = |error: &serde_json::Error| ReadError {
            place: Some(place),
            ..failed(error)
        };
        let branch = match raw.get().as_bytes().first() {
            Some(b'{') => {
                let fields: Fields = serde_json::from_str(raw.get()).map_err(|error| at(&error))?;
                let mut list = Vec::with_capacity(fields.0.len());
                for (name, field) in fields.0 {
                    let text: String =
                        serde_json::from_str(name.get()).map_err(|error| at(&error))?;
                    list.push((text, self.place(name), self.tree(field, depth + 1)?));
                }
                Branch::Object(list)
            }
            Some(b'[') => {
                let elements: Elements =
                    serde_json::from_str(raw.get()).map_err(|error| at(&error))?;
                let list: Result<_, _> = elements
                    .0
                    .into_iter()
                    .map(|element| self.tree(element, depth + 1))
                    .collect();
                Branch::List(list?)
            }
            _ => scalar(raw.get()).map_err(|error| at(&error))?,
        };
        Ok(Tree { place, branch })
    }
}

fn scalar(token: &str) -> Result<Branch, serde_json::Error> {
    let value: Value = serde_json::from_str(token)?;
    // serde_json reads a whole number beyond 64 bits as a float, with fewer digits.
    let lost = value.is_f64() && !token.contains(['.', 'e', 'E']) && token != "-0";
    Ok(if lost {
        Branch::too_large(token)
    } else {
        Branch::Leaf(value)
    })
}

struct Fields<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Fields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut list = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    list.push(entry);
                }
                Ok(Fields(list))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

struct Elements<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Elements<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Elements<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut elements = Vec::new();
                while let Some(element) = list.next_element()? {
                    elements.push(element);
                }
                Ok(Elements(elements))
            }
        }
        deserializer.deserialize_seq(Collect)
    }
}
