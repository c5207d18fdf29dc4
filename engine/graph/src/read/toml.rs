//! TOML with places.

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::source::ReadError;
use super::tree::{Branch, Lines, Tree};

pub(super) fn parse(text: &str) -> Result<Tree, ReadError> {
    let lines = Lines::new(text);
    let table = DeTable::parse(text).map_err(|error| {
        ReadError::new(
            error.message(),
            error.span().map(|span| lines.place(span.start)),
        )
    })?;
    let place = lines.place(0);
    let branch = object(table.into_inner(), &lines);
    Ok(Tree { place, branch })
}

fn object(table: DeTable<'_>, lines: &Lines<'_>) -> Branch {
    let fields = table.into_iter().map(|(name, value)| {
        let place = lines.place(name.span().start);
        (name.into_inner().into_owned(), place, tree(value, lines))
    });
    Branch::Object(fields.collect())
}

fn tree(value: Spanned<DeValue<'_>>, lines: &Lines<'_>) -> Tree {
    let place = lines.place(value.span().start);
    let branch = match value.into_inner() {
        DeValue::String(text) => Branch::Leaf(Value::String(text.into_owned())),
        DeValue::Boolean(flag) => Branch::Leaf(Value::Bool(flag)),
        DeValue::Integer(integer) => {
            let (digits, radix) = (integer.as_str(), integer.radix());
            match (
                i64::from_str_radix(digits, radix),
                u64::from_str_radix(digits, radix),
            ) {
                (Ok(number), _) => Branch::Leaf(number.into()),
                (_, Ok(number)) => Branch::Leaf(number.into()),
                _ => Branch::too_large(digits),
            }
        }
        DeValue::Float(float) => match float.as_str().parse() {
            Ok(float) => Branch::float(float),
            Err(_) => Branch::Invalid(format!("not a number: got={}", float.as_str())),
        },
        // JSON has no instants; the other formats write them as text, too.
        DeValue::Datetime(instant) => Branch::Leaf(Value::String(instant.to_string())),
        DeValue::Array(elements) => Branch::List(
            elements
                .into_iter()
                .map(|element| tree(element, lines))
                .collect(),
        ),
        DeValue::Table(table) => object(table, lines),
    };
    Tree { place, branch }
}
