//! Syntax tree to compiled program.

mod block;
mod decl;
mod expr;
mod nodes;

pub use decl::lower;
pub(crate) use decl::rank;
pub use nodes::Detail;
pub(crate) use nodes::hex;
