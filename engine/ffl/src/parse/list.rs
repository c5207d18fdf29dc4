//! Lists in brackets: items separated by commas.

use super::parser::{Parse, Parser};
use super::recover::Stop;
use crate::diag::{Code, Diagnostic};
use crate::lex::{Token, TokenKind};

impl Parser<'_> {
    /// Reads items up to `close`, after `open` was taken. `what` names the list in messages.
    pub(super) fn list<T>(
        &mut self,
        open: Token,
        close: TokenKind,
        what: &str,
        mut item: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Vec<T> {
        self.open_brackets.push(close);
        let items = self.items(open, close, what, &mut item);
        self.open_brackets.pop();
        items
    }

    fn items<T>(
        &mut self,
        open: Token,
        close: TokenKind,
        what: &str,
        item: &mut impl FnMut(&mut Self) -> Parse<T>,
    ) -> Vec<T> {
        let mut items = Vec::new();
        if self.eat(close) {
            return items;
        }
        loop {
            let start = self.at;
            let read = item(self);
            let failed = read.is_err();
            items.extend(read);
            if self.at(TokenKind::Comma) {
                let comma = self.bump();
                if self.eat(close) {
                    if !failed {
                        let message = format!("the list of {what} ends with a comma");
                        let found = Diagnostic::new(Code::E001, self.span(comma), message);
                        self.report(found.help("remove the comma"));
                    }
                    return items;
                }
                let is_outer =
                    self.is_named(0, TokenKind::Assign) || self.is_named(0, TokenKind::Colon);
                if close == TokenKind::RBracket && is_outer {
                    // The next argument of a call, or entry of a map: the bracket is missing.
                    self.expected_in_list(open, close, what);
                    return items;
                }
                continue;
            }
            if self.eat(close) {
                return items;
            }
            if !failed {
                self.expected_in_list(open, close, what);
                let next_item = self.is_named(0, TokenKind::Assign) && !self.is_step(0)
                    || self.is_named(0, TokenKind::Colon);
                if next_item && self.at > start {
                    continue;
                }
            }
            match self.skip_in_list(close) {
                Stop::Comma => {
                    self.bump();
                }
                Stop::Close => {
                    self.bump();
                    return items;
                }
                // The error is reported; the bracket may be missing because of it.
                Stop::Outside => return items,
            }
        }
    }

    /// Reads what follows up to the bracket that closes `open`; if it is missing, reports that and
    /// skips to it.
    pub(super) fn enclosed<T>(
        &mut self,
        open: Token,
        close: TokenKind,
        what: &str,
        read: impl FnOnce(&mut Self) -> Parse<T>,
    ) -> Parse<T> {
        self.open_brackets.push(close);
        let inner = self.enclosed_by(open, close, what, read);
        self.open_brackets.pop();
        inner
    }

    fn enclosed_by<T>(
        &mut self,
        open: Token,
        close: TokenKind,
        what: &str,
        read: impl FnOnce(&mut Self) -> Parse<T>,
    ) -> Parse<T> {
        let inner = read(self);
        if inner.is_ok() && self.eat(close) {
            return inner;
        }
        if inner.is_ok() {
            self.close(close, open, what);
        }
        loop {
            match self.skip_in_list(close) {
                Stop::Comma
                    if !self.is_named(1, TokenKind::Assign)
                        && !self.is_named(1, TokenKind::Colon) =>
                {
                    self.bump();
                }
                Stop::Close => {
                    self.bump();
                    return inner;
                }
                Stop::Comma | Stop::Outside => return inner,
            }
        }
    }

    fn expected_in_list(&mut self, open: Token, close: TokenKind, what: &str) {
        const OPENING: [TokenKind; 5] = [
            TokenKind::LParen,
            TokenKind::LBracket,
            TokenKind::LBrace,
            TokenKind::HashBrace,
            TokenKind::Invalid,
        ];
        if !OPENING.contains(&open.kind) {
            // The opening bracket is missing as well, which is reported.
            return;
        }
        let message = format!(
            "expected `,` or {} in the {what}, found {}",
            close.describe(),
            self.found()
        );
        let open = self.span(open);
        self.error_with(|span| {
            Diagnostic::new(Code::E001, span, message).label(open, "opened here")
        });
    }
}
