//! YAML with places.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_saphyr::options::{DuplicateKeyPolicy, MergeKeyPolicy};
use serde_saphyr::{Location, Spanned};

use super::source::{Place, ReadError};
use super::tree::{Branch, Lines, MOST_DEPTH, Tree};

pub(super) fn parse(text: &str) -> Result<Tree, ReadError> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: MOST_DEPTH, max_aliases: 1_000, max_anchors: 1_000 },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        // `yes`, `no`, `on` and `off` are text, as in YAML 1.2.
        strict_booleans: true,
        // `1_000` is a number in TOML and YAML 1.1, and text in YAML 1.2.
        underscored_numbers_as_strings: true,
        reject_unsupported_tags: true,
    };
    let spanned: Spanned<Yaml> =
        serde_saphyr::from_str_with_options(text, options).map_err(|error| {
            let location = error.location().map(place);
            let message = error.without_snippet().to_string();
            // The place is shown apart from the message.
            let message = message.split(" at line ").next().unwrap_or_default();
            ReadError::new(message.lines().next().unwrap_or_default(), location)
        })?;
    let mut tree = tree(spanned);
    refuse_large(&mut tree, &Lines::new(text));
    Ok(tree)
}

/// Finds whole numbers beyond 64 bits, which the parser gives as floats with fewer digits.
fn refuse_large(tree: &mut Tree, lines: &Lines<'_>) {
    let place = tree.place;
    match &mut tree.branch {
        Branch::Leaf(value) => {
            // Below this bound, no float comes from a whole number.
            if value
                .as_f64()
                .is_some_and(|float| value.is_f64() && float.abs() >= 9e18)
            {
                let token = lines.token(place);
                let digits = token.trim_start_matches(['+', '-']);
                if digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    tree.branch = Branch::too_large(token);
                }
            }
        }
        Branch::List(elements) => elements
            .iter_mut()
            .for_each(|element| refuse_large(element, lines)),
        Branch::Object(fields) => fields
            .iter_mut()
            .for_each(|(_, _, field)| refuse_large(field, lines)),
        Branch::Invalid(_) => {}
    }
}

fn place(location: Location) -> Place {
    let at = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).max(1);
    Place {
        line: at(location.line()),
        column: at(location.column()),
    }
}

fn tree(spanned: Spanned<Yaml>) -> Tree {
    Tree {
        place: place(spanned.referenced),
        branch: spanned.value.0,
    }
}

struct Yaml(Branch);

impl<'de> Deserialize<'de> for Yaml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Collect).map(Self)
    }
}

struct Collect;

impl<'de> Visitor<'de> for Collect {
    type Value = Branch;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Branch, E> {
        Ok(Branch::Leaf(Value::Null))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Branch, E> {
        Ok(Branch::Leaf(flag.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Branch, E> {
        Ok(Branch::Leaf(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Branch, E> {
        Ok(Branch::Leaf(number.into()))
    }

    fn visit_i128<E>(self, number: i128) -> Result<Branch, E> {
        Ok(Branch::too_large(number))
    }

    fn visit_u128<E>(self, number: u128) -> Result<Branch, E> {
        Ok(Branch::too_large(number))
    }

    fn visit_f64<E>(self, float: f64) -> Result<Branch, E> {
        Ok(Branch::float(float))
    }

    fn visit_str<E>(self, text: &str) -> Result<Branch, E> {
        Ok(Branch::Leaf(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Branch, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element::<Spanned<Yaml>>()? {
            elements.push(tree(element));
        }
        Ok(Branch::List(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Branch, A::Error> {
        let mut fields = Vec::new();
        while let Some((name, value)) = map.next_entry::<Spanned<String>, Spanned<Yaml>>()? {
            fields.push((name.value, place(name.referenced), tree(value)));
        }
        Ok(Branch::Object(fields))
    }
}
