//! Equality and order, without rounding.

use std::cmp::Ordering;

use super::Value;

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Boolean(a), Self::Boolean(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => a == b,
            _ => numbers(self, other) == Some(Ordering::Equal),
        }
    }
}

/// The order of two numbers or two strings; `None` for anything else.
pub(super) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => numbers(a, b),
    }
}

fn numbers(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        (Value::Int(a), Value::Double(b)) => int_to_double(*a, *b),
        (Value::Double(a), Value::Int(b)) => int_to_double(*b, *a).map(Ordering::reverse),
        _ => None,
    }
}

/// Compares without a conversion of the integer, which would round it above 2^53.
fn int_to_double(int: i64, double: f64) -> Option<Ordering> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0; // 2^63
    if double >= LIMIT {
        return Some(Ordering::Less);
    }
    if double < -LIMIT {
        return Some(Ordering::Greater);
    }
    let fraction = 0.0_f64.partial_cmp(&double.fract())?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the fraction is compared too, and the rest is within the limits"
    )]
    let whole = double.trunc() as i64;
    Some(int.cmp(&whole).then(fraction))
}
