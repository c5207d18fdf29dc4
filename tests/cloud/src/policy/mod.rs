//! IAM, as far as the policies of a deployment use it: which request is allowed.
//!
//! A request is one or more [`Access`]es: an action on a resource, with what conditions may ask
//! about it. An explicit Deny of any policy beats every Allow, and what no Allow matches is
//! denied. What this evaluator does not know (an operator, a key of a condition, a variable in a
//! resource) is an error when the policy is read: nothing is guessed.

mod access;
mod condition;
mod decide;
mod pattern;
mod statement;

pub use access::{Access, UnknownRequest, accesses};
pub use decide::{Decision, Policy};
pub use statement::PolicyError;
