//! Signatures and parameters.

use super::parser::{Parse, Parser};
use crate::ast::{Ident, Param, Signature};
use crate::lex::TokenKind;

impl Parser<'_> {
    /// The signature of a declaration. What cannot be read is left out, so that the body of the
    /// declaration is read in any case.
    pub(super) fn signature(&mut self, kind: &str) -> Signature {
        let name = self.declared_name(kind);
        let mut signature = Signature {
            name,
            params: Vec::new(),
            returns: Vec::new(),
            mixins: Vec::new(),
        };
        // The error is reported: the parts after it are read as far as they can be found.
        let _reported = self.signature_parts(&mut signature);
        signature
    }

    fn signature_parts(&mut self, signature: &mut Signature) -> Parse<()> {
        let begins = self.is_named(0, TokenKind::Colon);
        let open = self.open_paren("before the parameters", begins)?;
        signature.params = self.list(open, TokenKind::RParen, "parameters", Self::param);
        if self.eat(TokenKind::Arrow) {
            let begins = self.is_named(0, TokenKind::Colon);
            let open = self.open_paren("before the returns", begins)?;
            signature.returns = self.list(open, TokenKind::RParen, "returns", Self::param);
        }
        signature.mixins = self.mixins()?;
        Ok(())
    }

    /// The name of a declaration; an empty one if it is missing, which is reported.
    pub(super) fn declared_name(&mut self, kind: &str) -> Ident {
        let missing = self.span(self.peek());
        self.ident(&format!("the name of the {kind}"))
            .unwrap_or_else(|_| Ident {
                text: String::new(),
                span: missing,
            })
    }

    fn param(&mut self) -> Parse<Param> {
        let first = self.peek();
        let name = self.ident("a parameter")?;
        self.expect(TokenKind::Colon, "after the name of the parameter")?;
        let ty = self.type_()?;
        let default = if self.eat(TokenKind::Assign) {
            Some(self.expr()?)
        } else {
            None
        };
        Ok(Param {
            span: self.span_from(first),
            name,
            ty,
            default,
        })
    }
}
