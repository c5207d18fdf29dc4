//! Source text to tokens.
//!
//! The lexer reads the whole text in one pass and never fails: what it cannot read becomes a
//! diagnostic and a token. Keywords are identifiers here; the parser gives them their meaning. Only
//! `script` has an effect on the lexer: the brace after it begins raw code (`script`).

mod comment;
mod doc;
mod lexer;
mod number;
pub(crate) mod script;
mod string;
#[cfg(test)]
mod tests;
mod token;

pub use comment::{Comment, CommentKind};
pub(crate) use doc::read_doc;
pub use lexer::MAX_IDENTIFIER;
pub(crate) use lexer::{Lexed, lex};
pub(crate) use number::{Number, read_number};
pub(crate) use string::unescape;
pub(crate) use token::{Token, TokenKind};
