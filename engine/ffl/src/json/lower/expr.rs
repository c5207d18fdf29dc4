//! Calls and expressions.

use std::collections::BTreeMap;

use super::nodes::Nodes;
use crate::ast;
use crate::form::{Arg, Call, Entry, Expr, ExprKind, Mixin, MixinKind};

impl Nodes<'_> {
    pub(super) fn call(&mut self, call: &ast::Call) -> Call {
        Call {
            target: call.target.text.clone(),
            args: self.args(&call.args),
            mixins: self.mixins(&call.mixins, MixinKind::Call),
            node: self.node(call.span),
        }
    }

    pub(super) fn mixins(&mut self, mixins: &[ast::Mixin], kind: MixinKind) -> Vec<Mixin> {
        let mixin = |mixin: &ast::Mixin| Mixin {
            kind,
            target: mixin.target.text.clone(),
            args: self.args(&mixin.args),
            alias: mixin.alias.as_ref().map(|alias| alias.text.clone()),
        };
        mixins.iter().map(mixin).collect()
    }

    fn args(&self, args: &[ast::Arg]) -> Vec<Arg> {
        let kept = last_of_each(args, |arg| &arg.name.text);
        let arg = |arg: &ast::Arg| Arg {
            name: arg.name.text.clone(),
            value: self.expr(&arg.value),
        };
        kept.map(arg).collect()
    }

    pub(super) fn expr(&self, expr: &ast::Expr) -> Expr {
        let boxed = |expr: &ast::Expr| Box::new(self.expr(expr));
        let kind = match &expr.kind {
            ast::ExprKind::String(value) => ExprKind::String {
                value: value.clone(),
            },
            ast::ExprKind::Int(value) => ExprKind::Int { value: *value },
            ast::ExprKind::Double(value) => ExprKind::Double { value: *value },
            ast::ExprKind::Boolean(value) => ExprKind::Boolean { value: *value },
            ast::ExprKind::Null => ExprKind::Null,
            ast::ExprKind::Ref(reference) => return self.reference(reference),
            ast::ExprKind::Concat(operands) => ExprKind::ConcatExpr {
                operands: self.exprs(operands),
            },
            ast::ExprKind::Binary { op, left, right } => ExprKind::BinaryExpr {
                operator: *op,
                left: boxed(left),
                right: boxed(right),
            },
            ast::ExprKind::Unary { op, operand } => ExprKind::UnaryExpr {
                operator: *op,
                operand: boxed(operand),
            },
            ast::ExprKind::Array(elements) => ExprKind::ArrayLiteral {
                elements: self.exprs(elements),
            },
            ast::ExprKind::Map(entries) => ExprKind::MapLiteral {
                entries: self.entries(entries),
            },
            ast::ExprKind::Index { target, index } => ExprKind::IndexExpr {
                target: boxed(target),
                index: boxed(index),
            },
        };
        Expr {
            kind,
            location: self.expr_location(expr.span),
        }
    }

    fn exprs(&self, exprs: &[ast::Expr]) -> Vec<Expr> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn entries(&self, entries: &[ast::Entry]) -> Vec<Entry> {
        let kept = last_of_each(entries, |entry| &entry.key.text);
        let entry = |entry: &ast::Entry| Entry {
            key: entry.key.text.clone(),
            value: self.expr(&entry.value),
        };
        kept.map(entry).collect()
    }

    pub(super) fn reference(&self, reference: &ast::Ref) -> Expr {
        let path = reference.path.iter().map(|name| name.text.clone());
        let path = path.collect();
        Expr {
            kind: match reference.kind {
                ast::RefKind::Input => ExprKind::InputRef { path },
                ast::RefKind::Step => ExprKind::StepRef { path },
            },
            location: self.expr_location(reference.span),
        }
    }
}

/// The items without those that a later one of the same name replaces.
fn last_of_each<'t, T>(
    items: &'t [T],
    name: impl Fn(&'t T) -> &'t str,
) -> impl Iterator<Item = &'t T> {
    let names = items.iter().enumerate();
    let last: BTreeMap<&str, usize> = names.map(|(at, item)| (name(item), at)).collect();
    let items = items.iter().enumerate();
    items
        .filter(move |(at, item)| last[name(item)] == *at)
        .map(|(_, item)| item)
}
