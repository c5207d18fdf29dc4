//! What is known of the types of values, from JSON Schemas.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use crate::definition::{Definition, KeySpec, Reduce};

/// A type, as far as it is known.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// Nothing is known.
    Any,
    /// Null.
    Null,
    /// A boolean.
    Bool,
    /// A whole number with a sign.
    Int,
    /// A whole number without a sign.
    Uint,
    /// A float.
    Double,
    /// A number of any kind.
    Number,
    /// Text.
    Text,
    /// A list of values of a type.
    List(Box<Self>),
    /// An object.
    Object {
        /// Its known fields.
        fields: BTreeMap<String, Self>,
        /// It may have others.
        open: bool,
    },
}

impl Type {
    /// An object of which nothing is known.
    #[must_use]
    pub const fn object() -> Self {
        Self::Object {
            fields: BTreeMap::new(),
            open: true,
        }
    }

    /// An object with exactly these fields.
    #[must_use]
    pub fn closed<'a>(fields: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        let fields = fields
            .into_iter()
            .map(|(name, field)| (name.to_owned(), field))
            .collect();
        Self::Object {
            fields,
            open: false,
        }
    }

    /// Returns whether it may be a number.
    #[must_use]
    pub const fn may_be_number(&self) -> bool {
        matches!(
            self,
            Self::Any | Self::Int | Self::Uint | Self::Double | Self::Number
        )
    }

    /// Returns whether a value of this type may be a value of `other`.
    #[must_use]
    pub fn may_be(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, _) | (_, Self::Any) => true,
            // To JSON Schema, 1.0 is an integer.
            (one, other) if one.may_be_number() && other.may_be_number() => true,
            (Self::List(one), Self::List(other)) => one.may_be(other),
            (Self::Object { fields: one, .. }, Self::Object { fields: other, .. }) => other
                .iter()
                .all(|(name, field)| one.get(name).is_none_or(|mine| mine.may_be(field))),
            (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
        }
    }

    /// Returns the type of values that are of one type or of the other.
    pub(super) fn join(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        match (self, other) {
            (one, other)
                if !matches!((&one, &other), (Self::Any, _) | (_, Self::Any))
                    && one.may_be_number()
                    && other.may_be_number() =>
            {
                Self::Number
            }
            (Self::List(one), Self::List(other)) => Self::List(Box::new(one.join(*other))),
            (Self::Object { .. }, Self::Object { .. }) => Self::object(),
            _ => Self::Any,
        }
    }

    /// Returns what a JSON Schema states about the type of its values.
    #[must_use]
    pub fn of_schema(schema: &Value) -> Self {
        let Some(parts) = schema.as_object() else {
            return Self::Any;
        };
        let inner = |name: &str| parts.get(name).map_or(Self::Any, Self::of_schema);
        match parts.get("type") {
            Some(Value::String(name)) => match name.as_str() {
                "null" => Self::Null,
                "boolean" => Self::Bool,
                "integer" => Self::Int,
                "number" => Self::Number,
                "string" => Self::Text,
                "array" if parts.contains_key("prefixItems") => Self::List(Box::new(Self::Any)),
                "array" => Self::List(Box::new(inner("items"))),
                _ => {
                    let fields = parts.get("properties").and_then(Value::as_object);
                    let fields = fields
                        .into_iter()
                        .flatten()
                        .map(|(name, field)| (name.clone(), Self::of_schema(field)));
                    let closed = parts.get("additionalProperties") == Some(&Value::Bool(false))
                        && !parts.contains_key("patternProperties");
                    Self::Object {
                        fields: fields.collect(),
                        open: !closed,
                    }
                }
            },
            Some(_) => Self::Any,
            None => {
                let constant = parts.get("const").map(std::slice::from_ref);
                let values = parts
                    .get("enum")
                    .and_then(Value::as_array)
                    .map(Vec::as_slice)
                    .or(constant);
                let types = values.unwrap_or_default().iter().map(Self::of_value);
                types.reduce(Self::join).unwrap_or(Self::Any)
            }
        }
    }

    fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Bool,
            Value::Number(number) if number.is_f64() => Self::Double,
            Value::Number(_) => Self::Int,
            Value::String(_) => Self::Text,
            Value::Array(_) => Self::List(Box::new(Self::Any)),
            Value::Object(_) => Self::object(),
        }
    }

    /// Returns what is known of the values of a key.
    #[must_use]
    pub fn of_key(spec: &KeySpec) -> Self {
        let schema = spec
            .schema
            .as_ref()
            .map_or(Self::Any, |schema| Self::of_schema(schema.as_json()));
        if schema != Self::Any {
            return schema;
        }
        match spec.reduce {
            Reduce::Append | Reduce::Concat | Reduce::Set => Self::List(Box::new(Self::Any)),
            Reduce::Merge => Self::object(),
            Reduce::Sum => Self::Number,
            Reduce::Replace | Reduce::Max | Reduce::Min => Self::Any,
        }
    }

    /// Returns what is known of a contribution to a key.
    #[must_use]
    pub fn of_contribution(spec: &KeySpec) -> Self {
        match (spec.reduce, Self::of_key(spec)) {
            (Reduce::Append, Self::List(element)) => *element,
            (_, Self::Object { fields, .. }) if spec.reduce == Reduce::Merge => {
                Self::Object { fields, open: true }
            }
            (_, key) => key,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any value"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("a boolean"),
            Self::Int => f.write_str("an int"),
            Self::Uint => f.write_str("a uint"),
            Self::Double => f.write_str("a double"),
            Self::Number => f.write_str("a number"),
            Self::Text => f.write_str("text"),
            Self::List(_) => f.write_str("a list"),
            Self::Object { .. } => f.write_str("an object"),
        }
    }
}

/// The types of the variables of an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Types {
    /// The keys of the state.
    pub state: Type,
    /// The result of the source of an edge.
    pub result: Type,
    /// An element of the list of a `map`.
    pub item: Type,
}

impl Types {
    /// Returns what a definition states about the keys of its state; nothing is known of the others.
    #[must_use]
    pub fn of(definition: &Definition) -> Self {
        let keys = definition
            .state
            .iter()
            .map(|(key, spec)| (key.as_str(), Type::of_key(spec)));
        Self {
            state: Type::closed(keys),
            result: Type::Any,
            item: Type::Any,
        }
    }
}
