//! What the parts of a compiled program refer to.

use std::collections::BTreeSet;

use crate::form::{
    Arg, Block, BlockKind, Call, Catch, CatchKind, Condition, Expr, ExprKind, Mixin, Statements,
    When,
};

/// The first names of references: what must exist before a part can be evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References<'a> {
    /// The steps and foreach variables that `name.x` refers to.
    pub steps: BTreeSet<&'a str>,
    /// The parameters and foreach variables that `$.name` refers to.
    pub inputs: BTreeSet<&'a str>,
}

impl<'a> References<'a> {
    /// What an expression refers to.
    #[must_use]
    pub fn of_expr(expr: &'a Expr) -> Self {
        let mut found = Self::default();
        found.expr(expr);
        found
    }

    /// What the arguments of a call and of its mixins refer to: the steps that a statement waits
    /// for.
    #[must_use]
    pub fn of_call(call: &'a Call) -> Self {
        let mut found = Self::default();
        found.call(call);
        found
    }

    /// What everything in a block refers to, including its own steps and variables.
    #[must_use]
    pub fn of_block(block: &'a Block) -> Self {
        let mut found = Self::default();
        found.block(block);
        found
    }

    fn expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::String { .. }
            | ExprKind::Int { .. }
            | ExprKind::Double { .. }
            | ExprKind::Boolean { .. }
            | ExprKind::Null => {}
            ExprKind::InputRef { path } => {
                self.inputs.extend(path.first().map(String::as_str));
            }
            ExprKind::StepRef { path } => {
                self.steps.extend(path.first().map(String::as_str));
            }
            ExprKind::ConcatExpr { operands: exprs }
            | ExprKind::ArrayLiteral { elements: exprs } => {
                exprs.iter().for_each(|expr| self.expr(expr));
            }
            ExprKind::BinaryExpr { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::UnaryExpr { operand, .. } => self.expr(operand),
            ExprKind::MapLiteral { entries } => {
                entries.iter().for_each(|entry| self.expr(&entry.value));
            }
            ExprKind::IndexExpr { target, index } => {
                self.expr(target);
                self.expr(index);
            }
        }
    }

    fn call(&mut self, call: &'a Call) {
        self.args(&call.args);
        self.mixins(&call.mixins);
    }

    fn mixins(&mut self, mixins: &'a [Mixin]) {
        mixins.iter().for_each(|mixin| self.args(&mixin.args));
    }

    fn args(&mut self, args: &'a [Arg]) {
        args.iter().for_each(|arg| self.expr(&arg.value));
    }

    fn block(&mut self, block: &'a Block) {
        match &block.kind {
            BlockKind::Script(_) => {}
            BlockKind::When(when) => self.when(when),
            BlockKind::Statements {
                foreach,
                statements,
            } => {
                if let Some(foreach) = foreach {
                    self.expr(&foreach.iterable);
                }
                self.statements(statements);
            }
        }
    }

    fn statements(&mut self, statements: &'a Statements) {
        for step in &statements.steps {
            self.call(&step.call);
            if let Some(body) = &step.body {
                self.block(body);
            }
            if let Some(catch) = &step.catch {
                self.catch(catch);
            }
        }
        for yielded in &statements.yields {
            self.call(&yielded.call);
        }
    }

    fn catch(&mut self, catch: &'a Catch) {
        match &catch.kind {
            CatchKind::Statements(statements) => self.statements(statements),
            CatchKind::When(when) => self.when(when),
        }
    }

    fn when(&mut self, when: &'a When) {
        for case in &when.cases {
            if let Condition::If(condition) = &case.condition {
                self.expr(condition);
            }
            self.statements(&case.statements);
        }
    }
}
