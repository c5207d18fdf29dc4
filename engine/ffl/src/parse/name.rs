//! Identifiers, qualified names, types.

use super::parser::{Parse, Parser};
use crate::ast::{Ident, QName, Type, TypeKind};
use crate::diag::{Code, Diagnostic};
use crate::lex::TokenKind;

impl Parser<'_> {
    pub(super) fn ident(&mut self, what: &str) -> Parse<Ident> {
        if !self.at(TokenKind::Ident) {
            return Err(self.expected(what));
        }
        let token = self.bump();
        Ok(Ident {
            text: self.text(token).to_owned(),
            span: self.span(token),
        })
    }

    /// Identifiers joined by dots, without blanks.
    pub(super) fn qname(&mut self, what: &str) -> Parse<QName> {
        let first = self.peek();
        self.ident(what)?;
        while self.at(TokenKind::Dot) {
            let (before, dot, after) = (self.previous(), self.peek(), self.peek_at(1));
            self.bump();
            self.ident(&format!("{what} after the dot"))?;
            if before.is_some_and(|before| before.end != dot.start) || dot.end != after.start {
                let message = "a qualified name has no blanks around its dots";
                self.report(Diagnostic::new(Code::E001, self.span(dot), message));
            }
        }
        let span = self.span_from(first);
        // The blanks of a name that was reported.
        let text = self.slice(span).split_whitespace().collect();
        Ok(QName { text, span })
    }

    pub(super) fn type_(&mut self) -> Parse<Type> {
        let first = self.peek();
        if !self.at(TokenKind::LBracket) {
            let name = self.qname("a type")?;
            return Ok(Type {
                span: name.span,
                kind: TypeKind::Name(name),
            });
        }
        let open = self.bump();
        let element = self.deeper(Self::type_)?;
        self.close(TokenKind::RBracket, open, "after the element type");
        Ok(Type {
            span: self.span_from(first),
            kind: TypeKind::Array(Box::new(element)),
        })
    }
}
