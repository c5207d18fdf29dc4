//! Values, and the evaluation of expressions.
//!
//! Evaluation is pure: it depends on the expression and on what its [`Scope`] gives, and it needs
//! no engine. A failure names the place of the failed part if the program has locations of
//! expressions.

mod arithmetic;
mod compare;
mod error;
mod eval;
mod index;
mod json;
mod text;
mod truth;
mod types;

pub use error::{EvalError, Problem};
pub use eval::{Scope, evaluate};
pub use json::{LimitError, MAX_VALUE, MAX_VALUE_DEPTH};
pub use types::Value;
