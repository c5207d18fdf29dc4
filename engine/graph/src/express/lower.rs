//! Replaces what an expression reads by variables of their own, and records what that is.
//!
//! `state.k` becomes the variable `@state:k`, and `has(state.k)` becomes `@has:k`. So a key is
//! converted only if an expression reads it, and once for all expressions of a scope. Names with `@`
//! cannot be written in CEL.

use std::collections::BTreeSet;

use cel::common::ast::{EntryExpr, Expr, IdedExpr};

/// What an expression reads.
#[derive(Debug, Clone, Default)]
pub(super) struct Reads {
    /// Keys of the state whose values it reads.
    pub(super) keys: BTreeSet<String>,
    /// Keys of the state that it tests for.
    pub(super) tests: BTreeSet<String>,
    /// Whole variables: `state`, `result`, `item`, `index`.
    pub(super) whole: BTreeSet<String>,
}

/// Returns the variable of a key.
pub(super) fn key_variable(key: &str) -> String {
    format!("@state:{key}")
}

/// Returns the variable of the test for a key.
pub(super) fn test_variable(key: &str) -> String {
    format!("@has:{key}")
}

/// Lowers an expression.
pub(super) fn lower(root: &mut IdedExpr) -> Reads {
    let mut lowering = Lowering {
        bound: Vec::new(),
        reads: Reads::default(),
    };
    lowering.visit(root);
    lowering.reads
}

struct Lowering {
    /// Variables of the macros around.
    bound: Vec<String>,
    reads: Reads,
}

impl Lowering {
    fn visit(&mut self, node: &mut IdedExpr) {
        match &mut node.expr {
            Expr::Literal(_) | Expr::Unspecified => {}
            Expr::Ident(name) => {
                if !self.bound.contains(name) {
                    self.reads.whole.insert(name.clone());
                }
            }
            Expr::Select(select) => match &select.operand.expr {
                Expr::Ident(name) if name == "state" && !self.bound.contains(name) => {
                    let key = std::mem::take(&mut select.field);
                    let variable = if select.test {
                        test_variable(&key)
                    } else {
                        key_variable(&key)
                    };
                    let reads = if select.test {
                        &mut self.reads.tests
                    } else {
                        &mut self.reads.keys
                    };
                    reads.insert(key);
                    node.expr = Expr::Ident(variable);
                }
                _ => self.visit(&mut select.operand),
            },
            Expr::Call(call) => {
                let target = call.target.iter_mut().map(|target| &mut **target);
                target
                    .chain(&mut call.args)
                    .for_each(|part| self.visit(part));
            }
            Expr::List(list) => list.elements.iter_mut().for_each(|part| self.visit(part)),
            Expr::Map(map) => self.entries(&mut map.entries),
            Expr::Struct(object) => self.entries(&mut object.entries),
            Expr::Comprehension(comprehension) => {
                self.visit(&mut comprehension.iter_range);
                self.visit(&mut comprehension.accu_init);
                let before = self.bound.len();
                self.bound.push(comprehension.accu_var.clone());
                self.bound.push(comprehension.iter_var.clone());
                self.bound.extend(comprehension.iter_var2.clone());
                for part in [
                    &mut comprehension.loop_cond,
                    &mut comprehension.loop_step,
                    &mut comprehension.result,
                ] {
                    self.visit(part);
                }
                self.bound.truncate(before);
            }
        }
    }

    fn entries(&mut self, entries: &mut [cel::common::ast::IdedEntryExpr]) {
        for entry in entries {
            match &mut entry.expr {
                EntryExpr::MapEntry(entry) => {
                    self.visit(&mut entry.key);
                    self.visit(&mut entry.value);
                }
                EntryExpr::StructField(field) => self.visit(&mut field.value),
            }
        }
    }
}
