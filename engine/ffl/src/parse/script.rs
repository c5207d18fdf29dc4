//! `script` and its code.

use super::parser::{Parse, Parser};
use crate::ast::{Script, ScriptForm};
use crate::diag::{Code, Diagnostic};
use crate::lex::TokenKind;
use crate::lex::script::{Dedented, dedent};

impl Parser<'_> {
    pub(super) fn script(&mut self) -> Parse<Script> {
        let first = self.bump();
        if self.at(TokenKind::Ident)
            && matches!(self.peek_at(1).kind, TokenKind::Script | TokenKind::String)
        {
            let language = self.bump();
            if self.text(language) != "python" {
                let message = format!("`{}` is not a script language", self.text(language));
                self.report(
                    Diagnostic::new(Code::E001, self.span(language), message)
                        .help("the language is `python`"),
                );
            }
        }
        let token = self.peek();
        let (form, raw) = match token.kind {
            TokenKind::Script => {
                let text = self.text(token);
                (ScriptForm::Braces, text[1..text.len() - 1].to_owned())
            }
            TokenKind::String => (ScriptForm::String, self.string_value(token)),
            _ => {
                let failed = self.expected("code in braces or a string after `script`");
                if self.balance.missing_open > 0 {
                    self.balance.missing_open -= 1;
                    self.skip_braces();
                }
                return Err(failed);
            }
        };
        self.bump();
        let Dedented {
            code,
            removed,
            indent,
        } = dedent(&raw);
        // An escaped newline of a string literal is no line of the file.
        let removed = if form == ScriptForm::Braces || self.text(token).starts_with("\"\n") {
            removed
        } else {
            0
        };
        let first_line = self.lines().line(token.start) + removed;
        Ok(Script {
            span: self.span_from(first),
            form,
            code,
            first_line,
            indent,
        })
    }
}
