//! FFL, the declarative workflow language: from source text to checked program, and its runs.
//!
//! FFL describes workflows as facets (typed components), blocks of steps, and yields. The language
//! is described in `docs/ffl.md` of the repository. This crate has no I/O: it reads no file, no clock
//! and no environment.
//!
//! - [`source`]: texts, spans, lines and columns, and where a text came from.
//! - [`diag`]: what is wrong with a text, as data.
//! - [`lex`] and [`parse`]: text to tokens, tokens to a syntax tree.
//! - [`mod@format`]: the canonical text.
//! - [`ast`]: the nodes of the syntax tree.
//! - [`program`]: several texts as one program; what names denote; [`program::compile`].
//! - [`check`]: the checks of a program.
//! - [`draw`]: diagrams of a compiled program.
//! - [`form`] and [`json`]: the compiled program, and its JSON form.
//! - [`value`]: values, and the evaluation of expressions.
//! - [`run`]: programs as workflows of the engine. [`states`]: the states of their steps, computed.
//! - [`mod@explain`]: the tree of steps of an execution.

pub mod ast;
pub mod check;
pub mod diag;
pub mod draw;
pub mod explain;
pub mod form;
pub mod format;
pub mod fuzz;
pub mod json;
pub mod lex;
pub mod parse;
pub mod program;
pub mod run;
pub mod source;
pub mod states;
pub mod value;
