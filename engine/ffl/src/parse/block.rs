//! Blocks, steps and yields.

use super::braces::Brace;
use super::parser::{Parse, Parser};
use crate::ast::{AndThen, Block, Call, Step, Yield};
use crate::diag::{Code, Diagnostic};
use crate::lex::TokenKind;

/// Words that begin something else in a block.
const RESERVED: [&str; 5] = ["yield", "catch", "with", "andThen", "case"];

impl Parser<'_> {
    pub(super) fn block(&mut self, place: &str) -> Parse<Block> {
        self.deeper(|parser| parser.block_of(place))
    }

    fn block_of(&mut self, place: &str) -> Parse<Block> {
        let open = self.open_brace(place, self.is_step(0) || self.at_yield())?;
        let mut block = Block {
            span: self.span(open.token),
            steps: Vec::new(),
            yields: Vec::new(),
        };
        self.statements(open, &mut block);
        self.close_brace(open, "at the end of the block");
        block.span = self.span_from(open.token);
        Ok(block)
    }

    /// The statements up to the end of the block: its brace, or what cannot be part of it.
    fn statements(&mut self, open: Brace, block: &mut Block) {
        let mut after_error = false;
        loop {
            let start = self.at;
            let next = self.peek();
            if matches!(next.kind, TokenKind::RBrace | TokenKind::End)
                || (next.first_in_line && self.is_decl(0))
                || (self.whens > 0 && self.at_keyword("case"))
                || self.is_outside(open)
            {
                return;
            }
            let read = if self.at_yield() {
                self.yield_().map(|found| block.yields.push(found))
            } else if self.is_named(0, TokenKind::Assign) {
                if !block.yields.is_empty() {
                    self.error("steps must precede the yields of their block");
                }
                self.step().map(|found| block.steps.push(found))
            } else if self.at_keyword("andThen") || self.at_keyword("catch") {
                self.clause_without_step(after_error)
            } else {
                Err(self.expected("a step `name = Facet(..)`, a `yield` or `}`"))
            };
            after_error = read.is_err();
            if after_error {
                self.skip_statement(start);
            }
            self.end_of_statement();
        }
    }

    fn at_yield(&self) -> bool {
        self.is_word(0, "yield") && self.peek_at(1).kind == TokenKind::Ident
    }

    fn step(&mut self) -> Parse<Step> {
        let first = self.peek();
        let name = self.ident("a step")?;
        if RESERVED.contains(&name.text.as_str()) {
            let message = format!("a step cannot have the name `{name}`");
            self.report(
                Diagnostic::new(Code::E011, name.span, message).help("choose another name"),
            );
        }
        self.expect(TokenKind::Assign, "after the name of the step")?;
        let call = self.step_call()?;
        let mut step = Step {
            span: name.span,
            name,
            call,
            body: None,
            catch: None,
        };
        loop {
            if self.at_keyword("andThen") {
                let keyword = self.span(self.peek());
                let body = self.and_then()?;
                let message = match (&step.body, &step.catch, &body) {
                    (_, _, AndThen::Script { .. }) => "the body of a step cannot be a script",
                    (_, Some(_), _) => "the `catch` of a step is its last part",
                    (Some(_), _, _) => "a step has at most one body",
                    (None, None, _) => {
                        step.body = Some(body);
                        continue;
                    }
                };
                self.report(Diagnostic::new(Code::E001, keyword, message));
            } else if self.at_keyword("catch") {
                let keyword = self.span(self.peek());
                let catch = self.catch()?;
                if step.catch.is_some() {
                    self.report(Diagnostic::new(
                        Code::E001,
                        keyword,
                        "a step has at most one `catch`",
                    ));
                } else {
                    step.catch = Some(catch);
                }
            } else {
                break;
            }
        }
        step.span = self.span_from(first);
        Ok(step)
    }

    fn step_call(&mut self) -> Parse<Call> {
        // After `a =` alone, neither the next step nor the body of this one is its target.
        if self.is_step(0) || self.at_clause() {
            return Err(self.expected("a facet or schema to call"));
        }
        self.call("a facet or schema to call")
    }

    fn yield_(&mut self) -> Parse<Yield> {
        let first = self.bump();
        let call = self.call("a facet after `yield`")?;
        Ok(Yield {
            span: self.span_from(first),
            call,
        })
    }

    /// `andThen` or `catch` where no step precedes it. After an error in a step, it is the step's.
    fn clause_without_step(&mut self, after_error: bool) -> Parse<()> {
        if !after_error {
            let message = format!("{} must follow a step", self.found());
            self.error(message);
        }
        if self.at_keyword("andThen") {
            self.and_then().map(drop)
        } else {
            self.catch().map(drop)
        }
    }
}
