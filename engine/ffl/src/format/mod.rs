//! The canonical text of a source text.
//!
//! The formatter walks the syntax tree and takes the tokens in text order, each with the comments
//! before it (`printer`), so no token and no comment is lost. `layout` decides the line breaks.
//! What the canonical text is, is described in `docs/ffl.md`.

mod block;
mod canonical;
mod decl;
mod expr;
mod layout;
mod printer;

pub use canonical::format;
pub use layout::WIDTH;
