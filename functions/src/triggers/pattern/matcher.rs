//! Values and conditions of a field.

use std::fmt;

use ipnet::IpNet;
use serde_json::Value;

use super::wildcard::Wildcard;

/// One of the values and conditions of a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Matcher {
    Equal(Value),
    /// The text, in lower case.
    Folded(String),
    Prefix(Part),
    Suffix(Part),
    Wildcard(Wildcard),
    Numeric(Vec<(Order, f64)>),
    Exists(bool),
    Cidr(IpNet),
    AnythingBut(Vec<Matcher>),
}

/// A part of a text, in lower case if the case is ignored.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub(super) text: String,
    pub(super) folded: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Less,
    AtMost,
    Equal,
    AtLeast,
    More,
}

impl Order {
    pub(super) const ALL: [(&str, Self); 5] = [
        ("<", Self::Less),
        ("<=", Self::AtMost),
        ("=", Self::Equal),
        (">=", Self::AtLeast),
        (">", Self::More),
    ];

    #[expect(clippy::float_cmp, reason = "`=` matches exactly this number")]
    fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Self::Less => a < b,
            Self::AtMost => a <= b,
            Self::Equal => a == b,
            Self::AtLeast => a >= b,
            Self::More => a > b,
        }
    }

    fn sign(self) -> &'static str {
        let found = Self::ALL.into_iter().find(|(_, order)| *order == self);
        found.map_or("=", |(sign, _)| sign)
    }
}

impl Part {
    pub(super) fn in_case<'a>(&self, text: &'a str) -> std::borrow::Cow<'a, str> {
        if self.folded {
            text.to_lowercase().into()
        } else {
            text.into()
        }
    }
}

impl Matcher {
    /// Whether a value that is not an array matches.
    pub(super) fn matches(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Equal(wanted), value) => same(wanted, value),
            (Self::Exists(there), _) => *there,
            (Self::AnythingBut(inner), value) => {
                !value.is_object() && !inner.iter().any(|matcher| matcher.matches(value))
            }
            (Self::Numeric(bounds), Value::Number(number)) => number
                .as_f64()
                .is_some_and(|number| bounds.iter().all(|(order, b)| order.holds(number, *b))),
            (matcher, Value::String(text)) => matcher.matches_text(text),
            _ => false,
        }
    }

    fn matches_text(&self, text: &str) -> bool {
        match self {
            Self::Folded(wanted) => text.to_lowercase() == *wanted,
            Self::Prefix(part) => part.in_case(text).starts_with(&part.text),
            Self::Suffix(part) => part.in_case(text).ends_with(&part.text),
            Self::Wildcard(wildcard) => wildcard.matches(text),
            Self::Cidr(network) => text
                .parse()
                .is_ok_and(|address: std::net::IpAddr| network.contains(&address)),
            Self::Equal(_) | Self::Numeric(_) | Self::Exists(_) | Self::AnythingBut(_) => false,
        }
    }
}

/// Numbers are compared by value: `1` equals `1.0`.
fn same(wanted: &Value, value: &Value) -> bool {
    match (wanted, value) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64()
        }
        (wanted, value) => wanted == value,
    }
}

impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let any_case = |part: &Part| if part.folded { " in any case" } else { "" };
        match self {
            Self::Equal(value) => write!(f, "{value}"),
            Self::Folded(text) => write!(f, "{text:?} in any case"),
            Self::Prefix(part) => {
                write!(f, "text that begins with {:?}{}", part.text, any_case(part))
            }
            Self::Suffix(part) => {
                write!(f, "text that ends with {:?}{}", part.text, any_case(part))
            }
            Self::Wildcard(wildcard) => write!(f, "text like {wildcard}"),
            Self::Numeric(bounds) => {
                let bounds: Vec<String> = bounds
                    .iter()
                    .map(|(order, b)| format!("{} {b}", order.sign()))
                    .collect();
                write!(f, "a number {}", bounds.join(" and "))
            }
            Self::Exists(true) => f.write_str("any value"),
            Self::Exists(false) => f.write_str("no value"),
            Self::Cidr(network) => write!(f, "an address in {network}"),
            Self::AnythingBut(inner) => {
                let inner: Vec<String> = inner.iter().map(ToString::to_string).collect();
                write!(f, "anything but {}", inner.join(" or "))
            }
        }
    }
}
