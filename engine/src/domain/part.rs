//! What the first entry of a part of a journal names of older parts.

use serde::{Deserialize, Serialize};

/// The numbers of consecutive entries: the first of them, and the first behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range(pub u64, pub u64);

impl Range {
    /// Returns the ranges of these numbers, which increase.
    pub(crate) fn of(numbers: impl IntoIterator<Item = u64>) -> Vec<Self> {
        let mut ranges: Vec<Self> = Vec::new();
        for number in numbers {
            match ranges.last_mut() {
                Some(last) if last.1 == number => last.1 += 1,
                _ => ranges.push(Self(number, number + 1)),
            }
        }
        ranges
    }

    pub(crate) fn contains(self, number: u64) -> bool {
        (self.0..self.1).contains(&number)
    }
}

/// A segment of an earlier part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// The full key, which contains the digest of the bytes.
    pub key: String,
    /// The number of its first entry.
    pub first: u64,
    /// The number of the first entry after it.
    pub end: u64,
    /// Its size.
    pub bytes: u64,
}
