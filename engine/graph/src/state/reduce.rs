//! How one contribution changes the value of a key.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::number;
use crate::definition::{Reduce, canonical};

/// A contribution that a reducer refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReduceError {
    /// The value, or the contribution, has a type that the reducer does not take.
    #[error("the reducer {reduce:?} takes {takes}: {role}={found}")]
    Type {
        /// The reducer.
        reduce: Reduce,
        /// What it takes.
        takes: &'static str,
        /// `value` or `contribution`.
        role: &'static str,
        /// The type that was found.
        found: &'static str,
    },
    /// The sum does not fit into 64 bits, or is not finite.
    #[error("the sum overflows: value={value}, contribution={contribution}")]
    Overflow {
        /// The value.
        value: String,
        /// The contribution.
        contribution: String,
    },
}

/// Returns the value of a key after a contribution.
///
/// | reducer | first contribution to an absent key | otherwise |
/// |---|---|---|
/// | `replace` | the contribution | the contribution |
/// | `append` | a list of it | the list with it at the end |
/// | `concat` | the list | both lists |
/// | `merge` | the object | the object, members replaced by those of the contribution |
/// | `sum` | the number | the sum: exact for whole numbers, else a float |
/// | `max`, `min` | the number or text | the larger or smaller one; of equal ones the value stays |
/// | `set` | the list, sorted by canonical text, each element once | the union, likewise |
///
/// # Errors
/// [`ReduceError`] if a type does not fit or a sum overflows.
pub fn reduce(
    reduce: Reduce,
    value: Option<Value>,
    contribution: Value,
) -> Result<Value, ReduceError> {
    match reduce {
        Reduce::Replace => Ok(contribution),
        Reduce::Append => {
            let mut list = list(
                reduce,
                "value",
                value.unwrap_or_else(|| Value::Array(Vec::new())),
            )?;
            list.push(contribution);
            Ok(Value::Array(list))
        }
        Reduce::Concat => {
            let more = list(reduce, "contribution", contribution)?;
            let mut list = list(
                reduce,
                "value",
                value.unwrap_or_else(|| Value::Array(Vec::new())),
            )?;
            list.extend(more);
            Ok(Value::Array(list))
        }
        Reduce::Merge => {
            let more = object(reduce, "contribution", contribution)?;
            let mut object = object(
                reduce,
                "value",
                value.unwrap_or_else(|| Value::Object(Map::new())),
            )?;
            object.extend(more);
            Ok(Value::Object(object))
        }
        Reduce::Sum => add(value.unwrap_or_else(|| Value::from(0)), contribution),
        Reduce::Max => extreme(reduce, value, contribution, Ordering::Greater),
        Reduce::Min => extreme(reduce, value, contribution, Ordering::Less),
        Reduce::Set => {
            let mut list = match value {
                Some(value) => list(reduce, "value", value)?,
                None => Vec::new(),
            };
            list.extend(self::list(reduce, "contribution", contribution)?);
            Ok(Value::Array(sorted(list)))
        }
    }
}

/// Brings a value that was given as a whole into the form that its reducer keeps.
pub(super) fn normal(reduce: Reduce, value: Value) -> Value {
    match (reduce, value) {
        (Reduce::Set, Value::Array(list)) => Value::Array(sorted(list)),
        (_, value) => value,
    }
}

/// Returns whether a value that was given as a whole is one that the reducer can continue from.
pub(crate) fn fits(reduce: Reduce, value: &Value) -> bool {
    match reduce {
        Reduce::Replace => true,
        Reduce::Append | Reduce::Concat | Reduce::Set => value.is_array(),
        Reduce::Merge => value.is_object(),
        Reduce::Sum => value.is_number(),
        Reduce::Max | Reduce::Min => value.is_number() || value.is_string(),
    }
}

fn sorted(list: Vec<Value>) -> Vec<Value> {
    let mut keyed: Vec<_> = list
        .into_iter()
        .map(|element| (canonical(&element), element))
        .collect();
    keyed.sort_by(|one, other| one.0.cmp(&other.0));
    keyed.dedup_by(|one, other| one.0 == other.0);
    keyed.into_iter().map(|(_, element)| element).collect()
}

fn mismatch(reduce: Reduce, takes: &'static str, role: &'static str, found: &Value) -> ReduceError {
    ReduceError::Type {
        reduce,
        takes,
        role,
        found: type_of(found),
    }
}

fn list(reduce: Reduce, role: &'static str, value: Value) -> Result<Vec<Value>, ReduceError> {
    match value {
        Value::Array(list) => Ok(list),
        other => Err(mismatch(reduce, "a list", role, &other)),
    }
}

fn object(
    reduce: Reduce,
    role: &'static str,
    value: Value,
) -> Result<Map<String, Value>, ReduceError> {
    match value {
        Value::Object(object) => Ok(object),
        other => Err(mismatch(reduce, "an object", role, &other)),
    }
}

fn add(value: Value, contribution: Value) -> Result<Value, ReduceError> {
    match (value, contribution) {
        (Value::Number(one), Value::Number(other)) => match number::add(&one, &other) {
            Some(sum) => Ok(Value::Number(sum)),
            None => Err(ReduceError::Overflow {
                value: one.to_string(),
                contribution: other.to_string(),
            }),
        },
        (Value::Number(_), other) => Err(mismatch(Reduce::Sum, "a number", "contribution", &other)),
        (other, _) => Err(mismatch(Reduce::Sum, "a number", "value", &other)),
    }
}

fn extreme(
    reduce: Reduce,
    value: Option<Value>,
    contribution: Value,
    wins: Ordering,
) -> Result<Value, ReduceError> {
    const TAKES: &str = "numbers only or texts only";
    let order = match (&value, &contribution) {
        (None, Value::Number(_) | Value::String(_)) => wins,
        (Some(Value::Number(one)), Value::Number(other)) => number::compare(other, one),
        (Some(Value::String(one)), Value::String(other)) => other.cmp(one),
        (Some(Value::Number(_) | Value::String(_)) | None, other) => {
            return Err(mismatch(reduce, TAKES, "contribution", other));
        }
        (Some(other), _) => return Err(mismatch(reduce, TAKES, "value", other)),
    };
    Ok(match value {
        Some(value) if order != wins => value,
        _ => contribution,
    })
}

/// Returns the name of the JSON type of a value.
pub(crate) const fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}
