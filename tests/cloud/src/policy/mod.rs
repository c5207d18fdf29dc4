//! The part of IAM that a deployment's policies use: which request is allowed.
//!
//! A request consists of one or more [`Access`]es: an action on a resource, with the values that
//! conditions can test. An explicit Deny of any policy overrides every Allow, and an access without
//! a matching Allow is denied. A feature that this evaluator does not support (an operator, a key
//! of a condition, a variable in a resource) is an error when the policy is read: nothing is
//! guessed.

mod access;
mod condition;
mod decide;
mod pattern;
mod statement;

pub use access::{Access, UnknownRequest, accesses};
pub use decide::{Decision, Policy};
pub use statement::PolicyError;
