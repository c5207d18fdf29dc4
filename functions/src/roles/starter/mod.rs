//! The starter's role: events start workflows, or signal them.
//!
//! Whatever comes may come again, in any order, and the function may die in the middle. So
//! nothing is remembered between events: each start and signal has a key that is the same
//! whenever its event comes again, and the engine does nothing twice for one key.
//!
//! What fails with the store comes again; what would be no better the next time (a record
//! that cannot be read, an event that has not what a rule asks for, a line that is no good) is
//! told and done with, so that it does not hold up what comes with it.

mod carry;
mod objects;
mod record;
mod report;
mod request;
mod role;
mod split;
#[cfg(test)]
mod tests;

pub use objects::{Fetched, Objects, ObjectsError};
pub use report::{FailedRecords, Outcome, Record, Report};
pub use request::Answer;
pub use role::{Starter, starter};
