//! The starter's role: events start workflows, or signal them.
//!
//! Events are delivered at least once and in any order, and the function may exit at any time. So
//! no state is kept between events: each start and signal has a key that is the same if its event
//! is delivered again, and the engine does nothing twice for one key.
//!
//! If the store fails, the event is redelivered. If redelivery would not help (a record that cannot
//! be read, an event without a value for a template, an invalid line), the record is reported and
//! acknowledged, so that it does not delay the others.

mod answer;
mod carry;
mod memory;
mod objects;
mod record;
mod report;
mod request;
mod role;
mod split;
#[cfg(test)]
mod tests;

pub use answer::Answer;
pub use objects::{Fetched, Objects, ObjectsError};
pub use report::{FailedRecords, Outcome, Record, Report};
pub use role::{Starter, starter};
