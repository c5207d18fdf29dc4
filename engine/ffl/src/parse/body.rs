//! What follows a signature: scripts, blocks, prompts and catches.

use super::parser::{Parse, Parser};
use crate::ast::{AndThen, Body, Catch, Directive, Foreach, Prompt, Script};
use crate::diag::{Code, Diagnostic};
use crate::lex::TokenKind;

impl Parser<'_> {
    /// Everything after the signature of a facet.
    pub(super) fn tail(&mut self) -> (Option<Script>, Body, Option<Catch>) {
        let mut pre_script = None;
        let mut blocks = Vec::new();
        let mut prompt: Option<Prompt> = None;
        let mut catch: Option<Catch> = None;
        loop {
            let start = self.at;
            let misplaced = if self.at_keyword("script") {
                let unique = pre_script.is_none()
                    && blocks.is_empty()
                    && prompt.is_none()
                    && catch.is_none();
                (!unique).then_some("`script` is only allowed once, directly after the signature")
            } else if self.at_keyword("andThen") {
                match (&prompt, &catch) {
                    (_, Some(_)) => Some("`andThen` is not allowed after `catch`"),
                    (Some(_), _) => Some("`andThen` is not allowed after `prompt`"),
                    _ => None,
                }
            } else if self.at_keyword("prompt") {
                let alone = pre_script.is_none()
                    && blocks.is_empty()
                    && prompt.is_none()
                    && catch.is_none();
                (!alone).then_some("`prompt` is only allowed once, directly after the signature")
            } else if self.at_keyword("catch") {
                catch
                    .is_some()
                    .then_some("a declaration has at most one `catch`")
            } else {
                break;
            };
            if let Some(message) = misplaced {
                self.report(Diagnostic::new(Code::E001, self.span(self.peek()), message));
            }
            let read = if self.at_keyword("script") {
                self.script()
                    .map(|script| pre_script = pre_script.take().or(Some(script)))
            } else if self.at_keyword("andThen") {
                self.and_then().map(|block| blocks.push(block))
            } else if self.at_keyword("prompt") {
                self.prompt()
                    .map(|found| prompt = prompt.take().or(Some(found)))
            } else {
                self.catch()
                    .map(|found| catch = catch.take().or(Some(found)))
            };
            if read.is_err() {
                self.skip_clause(start);
            }
        }
        (
            pre_script,
            prompt.map_or(Body::Blocks(blocks), Body::Prompt),
            catch,
        )
    }

    /// `andThen ..`
    pub(super) fn and_then(&mut self) -> Parse<AndThen> {
        let first = self.bump();
        if self.at_keyword("script") {
            let script = self.script()?;
            return Ok(AndThen::Script {
                span: self.span_from(first),
                script,
            });
        }
        if self.at_keyword("when") {
            let when = self.when()?;
            return Ok(AndThen::When {
                span: self.span_from(first),
                when,
            });
        }
        let foreach = if self.at_keyword("foreach") {
            Some(self.foreach()?)
        } else {
            None
        };
        let block = self.block("after `andThen`")?;
        Ok(AndThen::Block {
            span: self.span_from(first),
            foreach,
            block,
        })
    }

    fn foreach(&mut self) -> Parse<Foreach> {
        let first = self.bump();
        let variable = self.ident("a variable after `foreach`")?;
        if !self.eat_keyword("in") {
            return Err(self.expected("`in` after the variable"));
        }
        let list = self.reference()?;
        Ok(Foreach {
            span: self.span_from(first),
            variable,
            list,
        })
    }

    /// `catch ..`
    pub(super) fn catch(&mut self) -> Parse<Catch> {
        let first = self.bump();
        if self.at_keyword("when") {
            let when = self.when()?;
            return Ok(Catch::When {
                span: self.span_from(first),
                when,
            });
        }
        let block = self.block("after `catch`")?;
        Ok(Catch::Block {
            span: self.span_from(first),
            block,
        })
    }

    fn prompt(&mut self) -> Parse<Prompt> {
        let first = self.bump();
        let open = self.open_brace("after `prompt`", self.peek_at(1).kind == TokenKind::String)?;
        let (mut system, mut template, mut model) = (None, None, None);
        loop {
            let keyword = self.peek();
            let directive = if self.is_word(0, "system") {
                &mut system
            } else if self.is_word(0, "template") {
                &mut template
            } else if self.is_word(0, "model") {
                &mut model
            } else {
                break;
            };
            self.bump();
            if !self.at(TokenKind::String) {
                self.expected("a string after the keyword");
                continue;
            }
            let literal = self.bump();
            let text = self.string_value(literal);
            let (span, text_span) = (self.span_from(keyword), self.span(literal));
            *directive = Some(Directive {
                span,
                text,
                text_span,
            });
        }
        if !self.at(TokenKind::RBrace) && !self.is_decl(0) && !self.is_outside(open) {
            self.expected("`system`, `template`, `model` or `}`");
            let start = self.at;
            self.skip_statement(start);
        }
        self.close_brace(open, "at the end of the prompt");
        Ok(Prompt {
            span: self.span_from(first),
            system,
            template,
            model,
        })
    }
}
