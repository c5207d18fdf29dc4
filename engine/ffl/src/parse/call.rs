//! Calls, arguments and mixins.

use super::parser::{Parse, Parser};
use crate::ast::{Arg, Call, Mixin};
use crate::diag::{Code, Diagnostic};
use crate::lex::{Token, TokenKind};

impl Parser<'_> {
    pub(super) fn call(&mut self, what: &str) -> Parse<Call> {
        let first = self.peek();
        let target = self.qname(what)?;
        let args = self.args()?;
        let mixins = self.mixins()?;
        Ok(Call {
            span: self.span_from(first),
            target,
            args,
            mixins,
        })
    }

    /// `with ..`, any number of times.
    pub(super) fn mixins(&mut self) -> Parse<Vec<Mixin>> {
        let mut mixins = Vec::new();
        while self.at_keyword("with") {
            let first = self.bump();
            let target = self.qname("a facet after `with`")?;
            let args = self.args()?;
            let alias = if self.eat_keyword("as") {
                Some(self.ident("an alias after `as`")?)
            } else {
                None
            };
            mixins.push(Mixin {
                span: self.span_from(first),
                target,
                args,
                alias,
            });
        }
        Ok(mixins)
    }

    fn args(&mut self) -> Parse<Vec<Arg>> {
        let begins = self.is_named(0, TokenKind::Assign) && !self.is_step(0);
        let open = self.open_paren("before the arguments", begins)?;
        Ok(self.list(open, TokenKind::RParen, "arguments", Self::arg))
    }

    /// Takes an opening parenthesis. If it is missing, that is reported, and it is assumed where
    /// the list begins or ends on the same line.
    pub(super) fn open_paren(&mut self, place: &str, begins: bool) -> Parse<Token> {
        let token = self.peek();
        if self.eat(TokenKind::LParen) {
            return Ok(token);
        }
        let failed = self.expected(&format!("`(` {place}"));
        let assumed = begins || token.kind == TokenKind::RParen;
        if assumed && !token.first_in_line {
            Ok(token)
        } else {
            Err(failed)
        }
    }

    fn arg(&mut self) -> Parse<Arg> {
        let first = self.peek();
        if !self.is_named(0, TokenKind::Assign)
            && !matches!(first.kind, TokenKind::RBrace | TokenKind::End)
        {
            let message = format!(
                "expected an argument `name = value`, found {}",
                self.found()
            );
            return Err(self.error_with(|span| {
                Diagnostic::new(Code::E001, span, message).help("there are no positional arguments")
            }));
        }
        let name = self.ident("an argument")?;
        self.expect(TokenKind::Assign, "after the name of the argument")?;
        let value = self.expr()?;
        Ok(Arg {
            span: self.span_from(first),
            name,
            value,
        })
    }
}
