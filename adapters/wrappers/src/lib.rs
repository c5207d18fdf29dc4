//! Buckets around a bucket: each passes on every request, and adds one thing.
//!
//! - [`Metered`] counts: what was asked, of which kind of object, and what it costs
//!   ([`Prices`], [`Bill`]).
//! - [`Throttled`] keeps to what the store serves, and lets commits pass.
//! - [`Traced`] logs one event for each request.
//! - [`Remembered`] reads what cannot change once.
//! - [`Delayed`] is a store that is far away, for tests with manual time.

mod bill;
mod delayed;
mod metered;
mod money;
mod prices;
mod remembered;
#[cfg(test)]
mod tests;
mod throttled;
mod traced;
mod usage;
mod verb;

pub use bill::{Bill, Line};
pub use delayed::Delayed;
pub use metered::Metered;
pub use money::NanoDollars;
pub use prices::Prices;
pub use remembered::Remembered;
pub use throttled::{Limits, Rank, Standing, Throttled};
pub use traced::Traced;
pub use usage::{Tally, Usage};
pub use verb::Verb;
