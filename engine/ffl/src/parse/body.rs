//! What follows a signature: scripts, blocks, prompts and catches.

use super::parser::{Parse, Parser};
use crate::ast::{AndThen, Body, Catch, Directive, Foreach, Prompt, Script};
use crate::diag::{Code, Diagnostic};
use crate::lex::TokenKind;

/// The keywords that begin a clause of a declaration.
const CLAUSES: [&str; 4] = ["script", "andThen", "prompt", "catch"];

/// Everything after the signature of a facet.
pub(super) struct Tail {
    pub(super) pre_script: Option<Script>,
    pub(super) body: Body,
    pub(super) catch: Option<Catch>,
}

/// The clauses read so far.
#[derive(Default)]
struct Clauses {
    pre_script: Option<Script>,
    blocks: Vec<AndThen>,
    prompt: Option<Prompt>,
    catch: Option<Catch>,
}

impl Clauses {
    /// Why a clause cannot follow what was read so far.
    fn forbids(&self, clause: &str) -> Option<&'static str> {
        let is_first = self.pre_script.is_none()
            && self.blocks.is_empty()
            && self.prompt.is_none()
            && self.catch.is_none();
        match clause {
            "script" if !is_first => {
                Some("`script` is only allowed once, directly after the signature")
            }
            "prompt" if !is_first => {
                Some("`prompt` is only allowed once, directly after the signature")
            }
            "andThen" if self.catch.is_some() => Some("`andThen` is not allowed after `catch`"),
            "andThen" if self.prompt.is_some() => Some("`andThen` is not allowed after `prompt`"),
            "catch" if self.catch.is_some() => Some("a declaration has at most one `catch`"),
            _ => None,
        }
    }
}

impl Parser<'_> {
    /// Everything after the signature of a facet. Of a clause that is repeated, the first one stays.
    pub(super) fn tail(&mut self) -> Tail {
        let mut clauses = Clauses::default();
        while let Some(clause) = CLAUSES.into_iter().find(|word| self.at_keyword(word)) {
            let start = self.at;
            if let Some(message) = clauses.forbids(clause) {
                let keyword = self.span(self.peek());
                self.report(Diagnostic::new(Code::E001, keyword, message));
            }
            if self.clause(clause, &mut clauses).is_err() {
                self.skip_clause(start);
            }
        }
        let Clauses {
            pre_script,
            blocks,
            prompt,
            catch,
        } = clauses;
        let body = prompt.map_or(Body::Blocks(blocks), Body::Prompt);
        Tail {
            pre_script,
            body,
            catch,
        }
    }

    fn clause(&mut self, clause: &str, clauses: &mut Clauses) -> Parse<()> {
        match clause {
            "script" => {
                let script = self.script()?;
                clauses.pre_script.get_or_insert(script);
            }
            "andThen" => clauses.blocks.push(self.and_then()?),
            "prompt" => {
                let prompt = self.prompt()?;
                clauses.prompt.get_or_insert(prompt);
            }
            _ => {
                let catch = self.catch()?;
                clauses.catch.get_or_insert(catch);
            }
        }
        Ok(())
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
