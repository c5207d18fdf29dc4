//! Buckets around a bucket: each passes on every request, and adds one thing.
//!
//! - [`Metered`] counts: what was asked, of which kind of object, and what it costs
//!   ([`Prices`], [`Bill`]).
//! - [`Throttled`] keeps to what the store serves, and lets commits and renewals pass.
//! - [`Traced`] logs one event for each request.
//! - [`Remembered`] reads what cannot change once.

mod bill;
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
pub use metered::Metered;
pub use money::NanoDollars;
pub use prices::Prices;
pub use remembered::Remembered;
pub use throttled::{Limits, Standing, Throttled};
pub use traced::Traced;
pub use usage::{Tally, Usage};
pub use verb::Verb;
