//! JSON as CEL values, and back.

use std::sync::Arc;

use cel::Value as Cel;
use cel::objects::{Key, Map};
use serde_json::{Number, Value};

/// Returns a JSON value as a CEL value: whole numbers are `int` or, above its range, `uint`.
pub(super) fn to_cel(value: &Value) -> Cel {
    match value {
        Value::Null => Cel::Null,
        Value::Bool(flag) => Cel::Bool(*flag),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(int), _) => Cel::Int(int),
            (_, Some(uint)) => Cel::UInt(uint),
            _ => Cel::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(list) => Cel::List(list.iter().map(to_cel).collect::<Vec<_>>().into()),
        Value::Object(fields) => object(
            fields
                .iter()
                .map(|(name, field)| (name.as_str(), to_cel(field))),
        ),
    }
}

/// Returns an object of CEL values. Its order is random, so nothing may iterate over it unsorted.
pub(super) fn object<'a>(fields: impl Iterator<Item = (&'a str, Cel)>) -> Cel {
    let fields = fields.map(|(name, value)| (Key::from(name), value));
    Cel::Map(Map {
        map: Arc::new(fields.collect()),
    })
}

/// Returns a CEL value as JSON, or what JSON cannot hold.
pub(super) fn to_json(value: &Cel) -> Result<Value, &'static str> {
    Ok(match value {
        Cel::Null => Value::Null,
        Cel::Bool(flag) => Value::Bool(*flag),
        Cel::Int(int) => Value::from(*int),
        Cel::UInt(uint) => Value::from(*uint),
        Cel::Float(float) => {
            Value::Number(Number::from_f64(*float).ok_or("a number that is not finite")?)
        }
        Cel::String(text) => Value::String(text.to_string()),
        Cel::List(list) => Value::Array(list.iter().map(to_json).collect::<Result<_, _>>()?),
        Cel::Map(map) => {
            let mut object = serde_json::Map::new();
            for (key, field) in map.map.iter() {
                let Key::String(name) = key else {
                    return Err("an object whose keys are not text");
                };
                object.insert(name.to_string(), to_json(field)?);
            }
            Value::Object(object)
        }
        Cel::Bytes(_) => return Err("bytes"),
        _ => return Err("a value that is neither data nor text"),
    })
}
