//! Money without rounding: a request costs less than a millionth of a dollar.

use std::fmt;
use std::iter::Sum;

use serde::Serialize;

/// An amount in billionths of a US dollar.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct NanoDollars(pub u64);

/// The size of a gigabyte in the bills of stores.
const GIGABYTE: u128 = 1 << 30;

impl NanoDollars {
    /// Multiplies the amount by a count.
    #[must_use]
    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }

    /// The cost of a number of bytes at this price per gigabyte (2^30 bytes), rounded up to a whole
    /// nano-dollar.
    #[must_use]
    pub fn for_bytes(self, bytes: u64) -> Self {
        let nano = (u128::from(self.0) * u128::from(bytes)).div_ceil(GIGABYTE);
        Self(u64::try_from(nano).unwrap_or(u64::MAX))
    }
}

impl std::ops::Add for NanoDollars {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for NanoDollars {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::default(), |sum, amount| sum + amount)
    }
}

/// Dollars, with all nine digits.
impl fmt::Display for NanoDollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = 1_000_000_000;
        f.pad(&format!("${}.{:09}", self.0 / whole, self.0 % whole))
    }
}
