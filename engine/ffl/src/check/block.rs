//! Blocks, steps and catches. E102: two steps of one name.

use super::checker::Checker;
use super::scope::{Layer, Scope, StepName};
use super::steps::Steps;
use super::target::Target;
use crate::ast::{AndThen, Block, Catch, Ident, Step};
use crate::diag::{Code, Diagnostic};

impl<'a> Checker<'a> {
    pub(super) fn block(&mut self, block: &'a Block, scope: &Scope<'_, 'a>) {
        let steps = Steps::of_block(block);
        for (seen, step) in block.steps.iter().enumerate() {
            self.step_twice(&step.name, seen, &steps, scope);
            self.step(step, seen, &steps, scope);
        }
        let all = scope.with(Layer::Steps {
            steps: &steps,
            seen: block.steps.len(),
            in_call: false,
        });
        self.yields_twice(&block.yields);
        for yielded in &block.yields {
            self.yielded(yielded, &all);
        }
    }

    /// E102
    fn step_twice(&mut self, name: &'a Ident, at: usize, steps: &Steps<'a>, scope: &Scope<'_, 'a>) {
        let (earlier, place) = match steps.find(&name.text) {
            Some((first, step)) if first < at => (step, "in this block"),
            _ => match scope.step(&name.text) {
                StepName::Step(step) => (step, "in a block before or around this one"),
                _ => return,
            },
        };
        let message = format!("there is already a step `{name}` {place}");
        self.report(
            Diagnostic::new(Code::E102, name.span, message)
                .label(earlier.name.span, "the first step of that name")
                .help("rename one of them"),
        );
    }

    fn step(&mut self, step: &'a Step, at: usize, steps: &Steps<'a>, scope: &Scope<'_, 'a>) {
        let before = scope.with(Layer::Steps {
            steps,
            seen: at,
            in_call: true,
        });
        let target = self.step_call(&step.call, &before);
        if step.body.is_none() && step.catch.is_none() {
            return;
        }
        // The step itself can be referred to.
        let with_step = scope.with(Layer::Steps {
            steps,
            seen: at + 1,
            in_call: false,
        });
        if let Some(body) = &step.body {
            let inputs = self.call_inputs(&step.call, &target, scope.site());
            let layer = Layer::Body {
                step,
                target: &target,
                inputs: inputs.as_ref(),
            };
            self.body(body, &with_step.with(layer));
        }
        if let Some(catch) = &step.catch {
            let layer = Layer::StepCatch {
                step,
                target: &target,
            };
            self.catch(catch, &with_step.with(layer));
        }
    }

    fn body(&mut self, body: &'a AndThen, scope: &Scope<'_, 'a>) {
        match body {
            // The parser refuses it.
            AndThen::Script { .. } => {}
            AndThen::When { when, .. } => self.when(when, scope),
            AndThen::Block { foreach, block, .. } => match foreach {
                None => self.block(block, scope),
                Some(foreach) => {
                    self.reference(&foreach.list, scope);
                    self.block(block, &scope.with(Layer::Variable(&foreach.variable)));
                }
            },
        }
    }

    pub(super) fn catch(&mut self, catch: &'a Catch, scope: &Scope<'_, 'a>) {
        match catch {
            Catch::Block { block, .. } => self.block(block, scope),
            Catch::When { when, .. } => self.when(when, scope),
        }
    }

    /// What a step calls.
    fn step_call(&mut self, call: &'a crate::ast::Call, scope: &Scope<'_, 'a>) -> Target<'a> {
        let target = self.check_step_target(&call.target, scope.site());
        self.call(call, &target, scope);
        target
    }
}
