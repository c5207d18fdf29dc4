//! The compiled program: what the interpreter runs, and what the JSON form consists of.
//!
//! The types follow the JSON form: one type per kind of node, names as written in the text. A
//! program refers to no text, and it has no bytes or spans; [`Location`]s are lines and columns.

mod block;
mod decl;
mod expr;
mod node;

pub use block::{
    Block, BlockKind, Case, Catch, CatchKind, Condition, Foreach, Script, Statements, Step, When,
    Yield,
};
pub use decl::{
    Body, Declaration, Doc, DocEntry, Facet, Field, Implicit, Namespace, Param, Program, Prompt,
    Schema, Type,
};
pub use expr::{Arg, Call, Entry, Expr, ExprKind, Mixin, MixinKind};
pub use node::{Location, Node, Provenance};
