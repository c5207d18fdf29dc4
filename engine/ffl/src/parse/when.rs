//! `when` and its cases.

use super::parser::{Failed, Parse, Parser};
use crate::ast::{Case, Condition, When};
use crate::diag::{Code, Diagnostic};
use crate::lex::TokenKind;

impl Parser<'_> {
    pub(super) fn when(&mut self) -> Parse<When> {
        let first = self.bump();
        let open = self.open_brace("after `when`", self.at_keyword("case"))?;
        self.whens += 1;
        let mut cases = Vec::new();
        let mut tried = false;
        let mut after_error = false;
        while !matches!(self.peek().kind, TokenKind::RBrace | TokenKind::End) {
            let start = self.at;
            tried = true;
            if (self.peek().first_in_line && self.is_decl(0)) || self.is_outside(open) {
                break;
            }
            let read = if self.is_word(0, "case") {
                self.case()
            } else {
                // After an error, this is still a part of the case.
                Err(if after_error {
                    Failed
                } else {
                    self.expected("`case`")
                })
            };
            after_error = read.is_err();
            match read {
                Ok(case) => cases.push(case),
                Err(Failed) => self.skip_statement(start),
            }
        }
        self.whens -= 1;
        self.close_brace(open, "after the last case");
        let span = self.span_from(first);
        if !tried {
            self.report(
                Diagnostic::new(Code::E501, span, "the `when` has no case")
                    .help("write `case _ => { .. }` for a case that always applies"),
            );
        }
        Ok(When { span, cases })
    }

    fn case(&mut self) -> Parse<Case> {
        let first = self.bump();
        let condition = if self.is_word(0, "_") && self.peek_at(1).kind == TokenKind::Arrow {
            let token = self.bump();
            Condition::Default(self.span(token))
        } else {
            Condition::If(self.expr()?)
        };
        self.expect(TokenKind::Arrow, "after the condition")?;
        let block = self.block("after `=>`")?;
        Ok(Case {
            span: self.span_from(first),
            condition,
            block,
        })
    }
}
