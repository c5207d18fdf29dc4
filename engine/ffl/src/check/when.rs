//! E502 to E505: the cases of a `when`.

use super::checker::Checker;
use super::scope::Scope;
use super::types::Ty;
use crate::ast::{Condition, When};
use crate::diag::{Code, Diagnostic};

impl<'a> Checker<'a> {
    pub(super) fn when(&mut self, when: &'a When, scope: &Scope<'_, 'a>) {
        self.defaults(when);
        for case in &when.cases {
            if let Condition::If(condition) = &case.condition {
                let ty = self.expr(condition, scope);
                if !matches!(ty, Ty::Boolean | Ty::Unknown) {
                    let message =
                        format!("the condition is not Boolean, but of type {}", ty.name());
                    self.report(
                        Diagnostic::new(Code::E505, condition.span, message)
                            .help("compare it with something"),
                    );
                }
            }
            self.block(&case.block, scope);
        }
    }

    fn defaults(&mut self, when: &'a When) {
        let mut defaults =
            when.cases
                .iter()
                .enumerate()
                .filter_map(|(at, case)| match case.condition {
                    Condition::Default(span) => Some((at, span)),
                    Condition::If(_) => None,
                });
        let Some((at, first)) = defaults.next() else {
            self.report(
                Diagnostic::new(Code::E502, when.span, "the `when` has no default")
                    .help("add `case _ => { .. }` as the last case; it may be empty"),
            );
            return;
        };
        let mut only = true;
        for (_, other) in defaults {
            only = false;
            self.report(
                Diagnostic::new(Code::E503, other, "the `when` has two defaults")
                    .label(first, "the first default")
                    .help("remove one of them"),
            );
        }
        if only && at + 1 != when.cases.len() {
            self.report(
                Diagnostic::new(Code::E504, first, "the default is not the last case")
                    .help("move it to the end"),
            );
        }
    }
}
