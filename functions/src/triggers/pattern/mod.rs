//! EventBridge's pattern language, over any JSON.
//!
//! A pattern names fields. Each has a list of values and matchers, of which one must match, or an
//! object with the nested fields. If the event has an array, one of its elements must match; of an
//! array of objects, one object must match as a whole. All fields must match; `$or` lists
//! alternatives.
//!
//! Two intended differences from EventBridge: numbers are compared as numbers, not by their
//! digits, and `exists` also applies to objects.

mod checked;
mod compile;
mod could;
mod matcher;
mod node;
#[cfg(test)]
mod tests;
mod wildcard;

pub use checked::Pattern;
pub use compile::PatternError;
pub use could::Known;
