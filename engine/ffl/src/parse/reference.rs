//! References: `$.a.b` and `step.a.b`.

use super::parser::{Parse, Parser};
use crate::ast::{Ref, RefKind};
use crate::diag::{Code, Diagnostic};
use crate::lex::TokenKind;

impl Parser<'_> {
    /// A reference. Blanks may surround its dots, but not follow its `$`.
    pub(super) fn reference(&mut self) -> Parse<Ref> {
        let first = self.peek();
        let mut path = Vec::new();
        let kind = match first.kind {
            TokenKind::Dollar => {
                self.bump();
                if self.at(TokenKind::Dot) && self.peek().start != first.end {
                    let message = "no blank may follow `$`";
                    self.report(
                        Diagnostic::new(Code::E001, self.span(first), message)
                            .help("write `$.name`"),
                    );
                }
                RefKind::Input
            }
            TokenKind::Ident => {
                path.push(self.ident("a step")?);
                RefKind::Step
            }
            _ => return Err(self.expected("a reference such as `$.name` or `step.name`")),
        };
        self.expect(TokenKind::Dot, "in the reference")?;
        path.push(self.ident("a name after the dot")?);
        while self.eat(TokenKind::Dot) {
            path.push(self.ident("a name after the dot")?);
        }
        Ok(Ref {
            span: self.span_from(first),
            kind,
            path,
        })
    }
}
