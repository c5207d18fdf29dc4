//! Expressions. E701 to E703: operands of the wrong type.

use super::checker::Checker;
use super::scope::Scope;
use super::types::Ty;
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::diag::{Code, Diagnostic};

impl<'a> Checker<'a> {
    /// Checks an expression; gives its type.
    pub(super) fn expr(&mut self, expr: &'a Expr, scope: &Scope<'_, 'a>) -> Ty<'a> {
        match &expr.kind {
            ExprKind::String(_) => Ty::String,
            ExprKind::Int(_) => Ty::Int,
            ExprKind::Double(_) => Ty::Double,
            ExprKind::Boolean(_) => Ty::Boolean,
            ExprKind::Null => Ty::Null,
            ExprKind::Ref(reference) => self.reference(reference, scope),
            ExprKind::Concat(operands) => {
                self.exprs(operands, scope);
                Ty::String
            }
            ExprKind::Array(elements) => {
                self.exprs(elements, scope);
                Ty::Array
            }
            ExprKind::Map(entries) => {
                for entry in entries {
                    self.expr(&entry.value, scope);
                }
                Ty::Map
            }
            ExprKind::Index { target, index } => {
                self.expr(target, scope);
                self.expr(index, scope);
                Ty::Unknown
            }
            ExprKind::Unary { op, operand } => {
                let ty = self.expr(operand, scope);
                self.unary(*op, operand, ty)
            }
            ExprKind::Binary { op, left, right } => {
                let sides = (self.expr(left, scope), self.expr(right, scope));
                self.binary(*op, (left, right), sides)
            }
        }
    }

    fn exprs(&mut self, exprs: &'a [Expr], scope: &Scope<'_, 'a>) {
        for expr in exprs {
            self.expr(expr, scope);
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &'a Expr, ty: Ty<'a>) -> Ty<'a> {
        match op {
            UnaryOp::Not => {
                self.boolean_operand("!", operand, &ty);
                Ty::Boolean
            }
            UnaryOp::Neg if is_not_number(&ty) => {
                let message = format!("`-` does not apply to {}", ty.name());
                self.report(Diagnostic::new(Code::E701, operand.span, message));
                Ty::Unknown
            }
            UnaryOp::Neg => match ty {
                Ty::Double | Ty::Long => ty,
                _ => Ty::Int,
            },
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        (left, right): (&'a Expr, &'a Expr),
        (a, b): (Ty<'a>, Ty<'a>),
    ) -> Ty<'a> {
        match op {
            BinaryOp::Or | BinaryOp::And => {
                self.boolean_operand(op.as_str(), left, &a);
                self.boolean_operand(op.as_str(), right, &b);
                Ty::Boolean
            }
            BinaryOp::Eq | BinaryOp::Ne => Ty::Boolean,
            BinaryOp::Ge | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Lt => {
                for (operand, ty) in [(left, a), (right, b)] {
                    if matches!(ty, Ty::Boolean | Ty::Schema(_)) {
                        let message = format!("`{}` does not apply to {}", op.as_str(), ty.name());
                        self.report(
                            Diagnostic::new(Code::E702, operand.span, message)
                                .help("only numbers and strings have an order"),
                        );
                    }
                }
                Ty::Boolean
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                self.arithmetic(op, left.span.to(right.span), &a, &b)
            }
        }
    }

    fn arithmetic(
        &mut self,
        op: BinaryOp,
        span: crate::source::Span,
        a: &Ty<'a>,
        b: &Ty<'a>,
    ) -> Ty<'a> {
        let both_known = !a.is_unknown() && !b.is_unknown();
        if both_known && (is_not_number(a) || is_not_number(b)) {
            let (a_name, b_name) = (a.name(), b.name());
            let message = format!("`{}` does not apply to {a_name} and {b_name}", op.as_str());
            let mut diagnostic = Diagnostic::new(Code::E701, span, message);
            if op == BinaryOp::Add && (matches!(a, Ty::String) || matches!(b, Ty::String)) {
                diagnostic = diagnostic.help("write `++` to concatenate texts");
            }
            self.report(diagnostic);
            return Ty::Unknown;
        }
        match (a, b) {
            (Ty::Double, _) | (_, Ty::Double) => Ty::Double,
            _ if op == BinaryOp::Div => Ty::Double,
            (Ty::Long, _) | (_, Ty::Long) => Ty::Long,
            _ => Ty::Int,
        }
    }

    /// E703
    fn boolean_operand(&mut self, op: &str, operand: &'a Expr, ty: &Ty<'a>) {
        if !matches!(ty, Ty::Boolean | Ty::Unknown) {
            let message = format!("`{op}` does not apply to {}", ty.name());
            self.report(
                Diagnostic::new(Code::E703, operand.span, message)
                    .help("compare it with something, such as `!= null`"),
            );
        }
    }
}

fn is_not_number(ty: &Ty<'_>) -> bool {
    matches!(ty, Ty::String | Ty::Boolean | Ty::Schema(_))
}
