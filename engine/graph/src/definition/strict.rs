//! What serde is too lenient for: a null field, a repeated element, a whole number with a fraction.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, de};

/// Reads a field that is present: null is a value of the field's type, or an error.
pub(super) fn present<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Reads a list without repeated elements.
pub(super) fn distinct<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de> + Ord + fmt::Display,
    D: Deserializer<'de>,
{
    let list = Vec::<T>::deserialize(deserializer)?;
    let mut seen = BTreeSet::new();
    match list.iter().find(|element| !seen.insert(*element)) {
        Some(twice) => Err(de::Error::custom(format!(
            "an element is repeated: element={twice}"
        ))),
        None => Ok(list),
    }
}

/// Reads a list with at least one element.
pub(super) fn nonempty<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    let list = Vec::<T>::deserialize(deserializer)?;
    if list.is_empty() {
        return Err(de::Error::invalid_length(0, &"at least one element"));
    }
    Ok(list)
}

/// Reads a list with at least one element and without repeated ones.
pub(super) fn some_distinct<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de> + Ord + fmt::Display,
    D: Deserializer<'de>,
{
    let list = distinct(deserializer)?;
    if list.is_empty() {
        return Err(de::Error::invalid_length(0, &"at least one element"));
    }
    Ok(list)
}

/// A whole number from `LEAST` to `MOST`. `3.0` is 3, as in JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Whole<const LEAST: u64, const MOST: u64>(u64);

impl<const LEAST: u64, const MOST: u64> Whole<LEAST, MOST> {
    /// Makes the number, or returns nothing if it is out of range.
    #[must_use]
    pub const fn new(number: u64) -> Option<Self> {
        if number < LEAST || number > MOST {
            return None;
        }
        Some(Self(number))
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl<const LEAST: u64, const MOST: u64> Serialize for Whole<LEAST, MOST> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de, const LEAST: u64, const MOST: u64> Deserialize<'de> for Whole<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        let whole = number.as_u64().or_else(|| match number.as_f64() {
            // Every bound is below 2^53, where floats hold whole numbers exactly.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            Some(float)
                if float.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&float) =>
            {
                Some(float as u64)
            }
            _ => None,
        });
        whole.and_then(Self::new).ok_or_else(|| {
            de::Error::custom(format!(
                "not a whole number from {LEAST} to {MOST}: got={number}"
            ))
        })
    }
}

/// A boolean that is written only if it is true.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
pub(super) fn is_false(flag: &bool) -> bool {
    !*flag
}

/// A field that is written only if it differs from its default.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
