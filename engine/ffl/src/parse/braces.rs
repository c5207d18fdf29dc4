//! Braces, and which of them are missing.
//!
//! If the braces of a text do not balance, indentation shows which one is missing: a line that is
//! further left than the lines of its block is outside of it. In a text whose braces balance,
//! indentation has no meaning.

use super::parser::{Parse, Parser};
use crate::lex::{Token, TokenKind};

/// An open brace.
#[derive(Clone, Copy)]
pub(super) struct Brace {
    pub(super) token: Token,
    line: u32,
    /// The indentation of the line of the brace.
    indent: u32,
    /// The column of the first line within the braces; `None` if it begins on the line of the brace.
    inner: Option<u32>,
}

/// How many braces a text lacks.
#[derive(Default)]
pub(super) struct Balance {
    pub(super) missing_open: usize,
    pub(super) missing_close: usize,
}

impl Balance {
    pub(super) fn of(tokens: &[Token]) -> Self {
        let count = |kinds: &[TokenKind]| {
            tokens
                .iter()
                .filter(|token| kinds.contains(&token.kind))
                .count()
        };
        let open = count(&[TokenKind::LBrace, TokenKind::HashBrace]);
        let close = count(&[TokenKind::RBrace]);
        Self {
            missing_open: close.saturating_sub(open),
            missing_close: open.saturating_sub(close),
        }
    }
}

impl Parser<'_> {
    /// Takes an opening brace. If it is missing, that is reported, and it is assumed where `begins`
    /// is true: the next token begins what belongs in the braces.
    pub(super) fn open_brace(&mut self, place: &str, begins: bool) -> Parse<Brace> {
        let token = self.peek();
        if !self.eat(TokenKind::LBrace) {
            let failed = self.expected(&format!("`{{` {place}"));
            let is_empty = self.at(TokenKind::RBrace) && self.balance.missing_open > 0;
            if !begins && !is_empty {
                return Err(failed);
            }
            self.balance.missing_open = self.balance.missing_open.saturating_sub(1);
        }
        let next = self.peek();
        let line = self.lines().line(token.start);
        let inner = next.first_in_line.then(|| self.column(next));
        Ok(Brace {
            token,
            line,
            indent: self.indentation(token),
            inner,
        })
    }

    /// True if the next token is outside of the brace, so that its closing brace is missing.
    pub(super) fn is_outside(&self, brace: Brace) -> bool {
        let next = self.peek();
        if self.balance.missing_close == 0
            || !next.first_in_line
            || self.lines().line(next.start) == brace.line
        {
            return false;
        }
        let column = self.column(next);
        match brace.inner {
            _ if next.kind == TokenKind::RBrace => column < brace.indent,
            Some(inner) => column < inner,
            None => column <= brace.indent,
        }
    }

    /// Takes the closing brace. If it is missing, that is reported, unless both braces are.
    pub(super) fn close_brace(&mut self, brace: Brace, what: &str) {
        if self.at(TokenKind::RBrace) && !self.is_outside(brace) {
            self.bump();
            return;
        }
        self.balance.missing_close = self.balance.missing_close.saturating_sub(1);
        if brace.token.kind == TokenKind::LBrace {
            self.not_closed(TokenKind::RBrace, brace.token, what);
        }
    }
}
