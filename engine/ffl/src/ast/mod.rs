//! The syntax tree: one type per production of the grammar.
//!
//! Each node has its [`Span`](crate::source::Span). Two nodes are equal if their spans are, too.
//! The tree has no comments apart from the doc comments of declarations.

mod block;
mod decl;
mod expr;
mod name;

pub use block::{
    AndThen, Block, Case, Catch, Condition, Foreach, Script, ScriptForm, Step, When, Yield,
};
pub use decl::{
    Body, Decl, Directive, Doc, DocEntry, FacetDecl, FacetKind, Field, File, ImplicitDecl, Item,
    Member, Namespace, Param, Prompt, SchemaDecl, Signature, Type, TypeKind, Use,
};
pub use expr::{Arg, BinaryOp, Call, Entry, Expr, ExprKind, Key, Mixin, Ref, RefKind, UnaryOp};
pub use name::{Ident, QName};
