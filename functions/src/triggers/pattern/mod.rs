//! EventBridge's pattern language, over any JSON.
//!
//! A pattern names fields. What stands at a field is a list of values and matchers, of which
//! one must fit; a field inside an object is an object again. Where the event holds an array,
//! one of its members must fit; where it holds an array of objects, one object must fit as a
//! whole. All fields must fit; `$or` holds alternatives.
//!
//! Differences to EventBridge, all of them on purpose: numbers are compared as numbers, not as
//! their digits; `exists` looks at objects, too.

mod compile;
mod could;
mod matcher;
mod node;
#[cfg(test)]
mod tests;
mod wildcard;

pub use compile::PatternError;
pub use could::Known;
pub use node::Pattern;
