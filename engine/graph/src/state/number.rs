//! Sums and comparisons of JSON numbers without loss.

use std::cmp::Ordering;

use serde_json::Number;

/// A whole number of JSON, or a float.
#[derive(Clone, Copy)]
enum Parts {
    Whole(i128),
    Float(f64),
}

fn parts(number: &Number) -> Parts {
    let whole = number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from));
    match whole {
        Some(whole) => Parts::Whole(whole),
        None => Parts::Float(number.as_f64().unwrap_or(f64::NAN)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a sum with a float is a float")]
fn float(parts: Parts) -> f64 {
    match parts {
        Parts::Whole(whole) => whole as f64,
        Parts::Float(float) => float,
    }
}

/// Adds two numbers: whole numbers exactly, all others as floats. Nothing if the sum overflows.
pub(super) fn add(one: &Number, other: &Number) -> Option<Number> {
    match (parts(one), parts(other)) {
        (Parts::Whole(one), Parts::Whole(other)) => {
            let sum = one + other; // Both have 64 bits.
            let signed = i64::try_from(sum).map(Number::from);
            signed
                .or_else(|_| u64::try_from(sum).map(Number::from))
                .ok()
        }
        (one, other) => Number::from_f64(float(one) + float(other)),
    }
}

/// Compares two numbers by their exact values.
pub(super) fn compare(one: &Number, other: &Number) -> Ordering {
    match (parts(one), parts(other)) {
        (Parts::Whole(one), Parts::Whole(other)) => one.cmp(&other),
        (Parts::Float(one), Parts::Float(other)) => {
            one.partial_cmp(&other).unwrap_or(Ordering::Equal)
        }
        (Parts::Whole(whole), Parts::Float(float)) => against(whole, float),
        (Parts::Float(float), Parts::Whole(whole)) => against(whole, float).reverse(),
    }
}

/// Compares a whole number of 64 bits with a finite float.
fn against(whole: i128, float: f64) -> Ordering {
    // Saturates, and whole numbers of 64 bits are far from the bounds of an i128.
    #[expect(clippy::cast_possible_truncation)]
    let floor = float.floor() as i128;
    whole.cmp(&floor).then(if float.fract() == 0.0 {
        Ordering::Equal
    } else {
        Ordering::Less
    })
}
