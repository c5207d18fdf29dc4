//! Buckets around a bucket: each passes on every request, and adds one thing.
//!
//! - [`Metered`] counts: what was asked, of which kind of object, and what it costs
//!   ([`Prices`], [`Bill`]).
//! - [`Throttled`] keeps to what the store serves, and lets commits pass.

mod bill;
mod metered;
mod money;
mod prices;
#[cfg(test)]
mod tests;
mod throttled;
mod usage;
mod verb;

pub use bill::{Bill, Line};
pub use metered::Metered;
pub use money::NanoDollars;
pub use prices::Prices;
pub use throttled::{Limits, Rank, Standing, Throttled};
pub use usage::{Tally, Usage};
pub use verb::Verb;
