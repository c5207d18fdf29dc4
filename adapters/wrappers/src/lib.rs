//! Wrappers of a bucket: each forwards every request, and adds one feature.
//!
//! - [`Metered`] counts the requests by verb and kind of object, and calculates their cost
//!   ([`Prices`], [`Bill`]).
//! - [`Throttled`] adapts to the rate that the store serves, and prioritizes commits and
//!   renewals.
//! - [`Traced`] logs one event for each request.
//! - [`Remembered`] caches immutable objects.

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

pub use bill::{Bill, Line};
pub use metered::Metered;
pub use money::NanoDollars;
pub use prices::Prices;
pub use remembered::Remembered;
pub use throttled::{Limits, Standing, Throttled};
pub use traced::Traced;
pub use usage::{Tally, Usage};
