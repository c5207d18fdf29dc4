//! Buckets around a bucket: each passes on every request, and adds one thing.
//!
//! - [`Metered`] counts: what was asked, of which kind of object, and what it costs
//!   ([`Prices`], [`Bill`]).

mod bill;
mod metered;
mod money;
mod prices;
#[cfg(test)]
mod tests;
mod usage;
mod verb;

pub use bill::{Bill, Line};
pub use metered::Metered;
pub use money::NanoDollars;
pub use prices::Prices;
pub use usage::{Tally, Usage};
pub use verb::Verb;
