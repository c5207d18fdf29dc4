//! Blocks, scripts and statements.

use super::layout::Piece;
use super::printer::Printer;
use crate::ast::{AndThen, Block, Case, Catch, Condition, Script, ScriptForm, Step, When};
use crate::lex::TokenKind;

impl Printer<'_> {
    /// `{`, items on lines of their own, `}`; `{}` if there is nothing in it.
    pub(super) fn braces(&mut self, empty: bool, print: impl FnOnce(&mut Self)) {
        self.token();
        let mut comments = false;
        self.begin_items();
        self.indent(|p| {
            print(p);
            comments = p.end_items();
        });
        if !empty || comments {
            self.push(Piece::Hard);
        }
        self.token();
    }

    pub(super) fn block(&mut self, block: &Block) {
        let empty = block.steps.is_empty() && block.yields.is_empty();
        self.braces(empty, |p| {
            for step in &block.steps {
                p.item();
                p.step(step);
                p.semicolons();
            }
            for found in &block.yields {
                p.item();
                p.token();
                p.space();
                p.call(&found.call);
                p.semicolons();
            }
        });
    }

    fn step(&mut self, step: &Step) {
        self.token();
        self.space();
        self.token();
        self.space();
        self.call(&step.call);
        if let Some(body) = &step.body {
            self.and_then(body);
        }
        if let Some(catch) = &step.catch {
            self.catch(catch);
        }
    }

    pub(super) fn and_then(&mut self, block: &AndThen) {
        self.space();
        self.token();
        match block {
            AndThen::Block { foreach, block, .. } => {
                self.space();
                if foreach.is_some() {
                    for _ in ["foreach", "variable", "in"] {
                        self.token();
                        self.space();
                    }
                    self.path();
                    self.space();
                }
                self.block(block);
            }
            AndThen::Script { script, .. } => self.script(script),
            AndThen::When { when, .. } => self.when(when),
        }
    }

    pub(super) fn catch(&mut self, catch: &Catch) {
        self.space();
        self.token();
        match catch {
            Catch::Block { block, .. } => {
                self.space();
                self.block(block);
            }
            Catch::When { when, .. } => self.when(when),
        }
    }

    fn when(&mut self, when: &When) {
        self.space();
        self.token();
        self.space();
        self.braces(when.cases.is_empty(), |p| {
            for case in &when.cases {
                p.item();
                p.case(case);
            }
        });
    }

    fn case(&mut self, case: &Case) {
        self.token();
        self.space();
        match &case.condition {
            Condition::If(condition) => self.expr(condition),
            Condition::Default(_) => self.token(),
        }
        self.space();
        self.token();
        self.space();
        self.block(&case.block);
    }

    pub(super) fn script(&mut self, script: &Script) {
        self.space();
        self.token();
        self.space();
        if self.next() == TokenKind::Ident {
            self.token();
            self.space();
        }
        match script.form {
            ScriptForm::String => self.token(),
            ScriptForm::Braces if script.code.is_empty() => self.token_as("{}"),
            ScriptForm::Braces => {
                self.token_as("{");
                self.indent(|p| {
                    for line in script.code.split('\n') {
                        p.push(Piece::Code(line.to_owned()));
                    }
                });
                self.push(Piece::Code("}".to_owned()));
            }
        }
    }
}
