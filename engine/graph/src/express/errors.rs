//! Messages of failed evaluations.
//!
//! The crate writes values into its messages, and objects in a random order. A message becomes part of
//! a checkpoint, which must be the same on every machine, so it names types instead of values.

use cel::{ExecutionError as Error, Value};

/// Describes a failure by types and names only.
pub(super) fn describe(error: &Error) -> String {
    match error {
        Error::UndeclaredReference(name) => match name.strip_prefix("@state:") {
            // A key without a value is a variable that is not there.
            Some(key) => {
                format!("the key of the state has no value; test for it by has(state.{key})")
            }
            None => format!("there is no value of this name: name={name}"),
        },
        Error::NoSuchKey(key) => format!("the object has no such field: field={key:?}"),
        Error::NoSuchOverload(overload) => overload.to_string(),
        Error::UnsupportedBinaryOperator(operator, one, other) => {
            format!(
                "{operator} cannot be applied to {} and {}",
                type_of(one),
                type_of(other)
            )
        }
        Error::ValuesNotComparable(one, other) => {
            format!("{} and {} have no order", type_of(one), type_of(other))
        }
        Error::UnexpectedType { got, want } => {
            format!("a value has the wrong type: found={got}, required={want}")
        }
        Error::UnsupportedTargetType { target } => {
            format!("a function does not take {}", type_of(target))
        }
        Error::UnsupportedKeyType(key) => format!("{} is not the key of an object", type_of(key)),
        Error::UnsupportedIndex(index, value) => {
            format!("{} is no index of {}", type_of(index), type_of(value))
        }
        Error::NotSupportedAsMethod { method, target } => {
            format!("{} has no function {method}", type_of(target))
        }
        Error::InvalidArgumentCount { expected, actual } => {
            format!(
                "a function got the wrong number of arguments: found={actual}, required={expected}"
            )
        }
        Error::Overflow(operator, _, _) => format!("{operator} overflows 64 bits"),
        Error::DivisionByZero(_) => "a number is divided by zero".to_owned(),
        Error::RemainderByZero(_) => "a number is divided by zero for its remainder".to_owned(),
        Error::IndexOutOfBounds(Value::Int(index)) => {
            format!("the list has no such element: index={index}")
        }
        Error::IndexOutOfBounds(_) => "the list has no such element".to_owned(),
        Error::DuplicateKey(_) => "an object has the same key twice".to_owned(),
        Error::FunctionError { function, message } => {
            format!("the function {function} failed: {message}")
        }
        _ => "the expression cannot be computed".to_owned(),
    }
}

fn type_of(value: &Value) -> String {
    value.type_of().to_string()
}
