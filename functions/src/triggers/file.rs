//! Reads `triggers.toml`.

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Fault, Faults, Position, Positions, RuleError};

/// The longest file that is read.
const MAX_BYTES: usize = 256 << 10;

/// One `[[trigger]]`.
#[derive(Default)]
pub(super) struct Table {
    pub(super) fields: Map<String, Value>,
    pub(super) positions: Positions,
    /// The errors of the omitted fields.
    pub(super) faults: Faults,
}

/// Reads a file. An item with an error is reported and omitted.
pub(super) fn read(text: &str) -> (Vec<Table>, Vec<RuleError>) {
    let error = |at: Option<usize>, fault| RuleError {
        rule: None,
        position: at.map(|at| Position::of(text, at)),
        fault,
    };
    if text.len() > MAX_BYTES {
        let (what, got, max) = ("bytes", text.len(), MAX_BYTES);
        let fault = Fault::TooLarge { what, got, max };
        return (Vec::new(), vec![error(None, fault)]);
    }
    let (top, invalid) = DeTable::parse_recoverable(text);
    if !invalid.is_empty() {
        let errors = invalid.into_iter().map(|invalid| {
            let why = invalid.message().to_owned();
            error(invalid.span().map(|span| span.start), Fault::Toml { why })
        });
        return (Vec::new(), errors.collect());
    }
    let (mut tables, mut errors) = (Vec::new(), Vec::new());
    for (name, value) in top.get_ref() {
        let at = Some(name.span().start);
        let entries = match value.get_ref() {
            _ if name.get_ref() != "trigger" => {
                errors.push(error(
                    at,
                    Fault::unknown_field(name.get_ref(), &["trigger"]),
                ));
                continue;
            }
            DeValue::Array(entries) => entries.iter().collect(),
            _ => vec![value],
        };
        let triggers = entries.iter().filter_map(|entry| {
            let fields = entry.get_ref().as_table()?;
            Some(table(text, entry.span().start, fields))
        });
        if value.get_ref().is_array() && entries.iter().all(|entry| entry.get_ref().is_table()) {
            tables.extend(triggers);
        } else {
            let (field, why) = (name.get_ref().to_string(), "write each under [[trigger]]");
            let why = why.to_owned();
            errors.push(error(at, Fault::Invalid { field, why }));
        }
    }
    (tables, errors)
}

fn table(text: &str, at: usize, table: &DeTable<'_>) -> Table {
    let mut positions = Positions::from([(String::new(), Position::of(text, at))]);
    let (mut fields, mut faults) = (Map::new(), Faults::default());
    for (name, value) in table {
        let at = Position::of(text, name.span().start);
        let name = name.get_ref();
        for (inner, _) in value.get_ref().as_table().into_iter().flatten() {
            let at = Position::of(text, inner.span().start);
            positions.insert(format!("{name}.{}", inner.get_ref()), at);
        }
        positions.insert(name.to_string(), at);
        if let Some(value) = faults.check(name, json(value)) {
            fields.insert(name.to_string(), value);
        }
    }
    Table {
        fields,
        positions,
        faults,
    }
}

/// A value of TOML as JSON. A date or time becomes text.
fn json(value: &Spanned<DeValue<'_>>) -> Result<Value, String> {
    Ok(match value.get_ref() {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_err(|error| format!("{error}: {number}"))?
            .into(),
        DeValue::Float(number) => number
            .as_str()
            .parse()
            .ok()
            .and_then(Number::from_f64)
            .ok_or_else(|| format!("JSON has no such number: {number}"))?
            .into(),
        DeValue::Boolean(truth) => (*truth).into(),
        DeValue::Datetime(instant) => instant.to_string().into(),
        DeValue::Array(all) => all.iter().map(json).collect::<Result<_, _>>()?,
        DeValue::Table(all) => {
            let all = all.iter();
            let all = all.map(|(name, value)| Ok((name.get_ref().to_string(), json(value)?)));
            Value::Object(all.collect::<Result<_, String>>()?)
        }
    })
}
