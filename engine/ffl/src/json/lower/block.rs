//! Blocks and statements.

use super::nodes::Nodes;
use crate::ast;
use crate::form::{
    Block, BlockKind, Case, Catch, CatchKind, Condition, Foreach, Script, Statements, Step, When,
    Yield,
};

impl Nodes<'_> {
    pub(super) fn and_then(&mut self, and_then: &ast::AndThen) -> Block {
        let kind = match and_then {
            ast::AndThen::Block { foreach, block, .. } => BlockKind::Statements {
                foreach: foreach.as_ref().map(|foreach| Foreach {
                    variable: foreach.variable.text.clone(),
                    iterable: self.reference(&foreach.list),
                }),
                statements: self.statements(block),
            },
            ast::AndThen::Script { script, .. } => {
                BlockKind::Script(self.below("script", |nodes| nodes.script(script)))
            }
            ast::AndThen::When { when, .. } => {
                BlockKind::When(self.below("when", |nodes| nodes.when(when)))
            }
        };
        Block {
            kind,
            node: self.node(and_then.span()),
        }
    }

    fn statements(&mut self, block: &ast::Block) -> Statements {
        Statements {
            steps: self.list("steps", &block.steps, Self::step),
            yields: self.list("yields", &block.yields, |nodes, yielded| Yield {
                call: nodes.below("call", |nodes| nodes.call(&yielded.call)),
                node: nodes.node(yielded.span),
            }),
        }
    }

    fn step(&mut self, step: &ast::Step) -> Step {
        let body = step.body.as_ref();
        let catch = step.catch.as_ref();
        Step {
            name: step.name.text.clone(),
            call: self.below("call", |nodes| nodes.call(&step.call)),
            body: body.map(|body| Box::new(self.below("body", |nodes| nodes.and_then(body)))),
            catch: catch.map(|catch| self.below("catch", |nodes| nodes.catch(catch))),
            node: self.node(step.span),
        }
    }

    pub(super) fn catch(&mut self, catch: &ast::Catch) -> Catch {
        let kind = match catch {
            ast::Catch::Block { block, .. } => CatchKind::Statements(self.statements(block)),
            ast::Catch::When { when, .. } => {
                CatchKind::When(self.below("when", |nodes| nodes.when(when)))
            }
        };
        Catch {
            kind,
            node: self.node(catch.span()),
        }
    }

    fn when(&mut self, when: &ast::When) -> When {
        let cases = self.list("cases", &when.cases, |nodes, case| Case {
            condition: match &case.condition {
                ast::Condition::If(condition) => Condition::If(nodes.expr(condition)),
                ast::Condition::Default(_) => Condition::Default,
            },
            statements: nodes.statements(&case.block),
        });
        When { cases }
    }

    pub(super) fn script(&mut self, script: &ast::Script) -> Script {
        Script {
            language: "python".to_owned(),
            code: script.code.clone(),
            node: self.node(script.span),
        }
    }
}
