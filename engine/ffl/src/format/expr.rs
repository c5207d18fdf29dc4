//! Names, calls and expressions.

use super::layout::Piece;
use super::printer::Printer;
use crate::ast::{Arg, Call, Entry, Expr, ExprKind, Mixin};
use crate::lex::TokenKind;

impl Printer<'_> {
    /// Identifiers and dots, such as a qualified name or a reference.
    pub(super) fn path(&mut self) {
        self.token();
        while self.next() == TokenKind::Dot {
            self.token();
            self.token();
        }
    }

    /// `open`, items with commas, `close`; one item per line if they do not fit on one line.
    pub(super) fn list<T>(&mut self, items: &[T], padded: bool, print: impl Fn(&mut Self, &T)) {
        let edge = || if padded { Piece::Line } else { Piece::Soft };
        self.group(|p| {
            p.token();
            p.indent(|p| {
                for (number, item) in items.iter().enumerate() {
                    p.break_as(if number == 0 { edge() } else { Piece::Line });
                    p.comments_before_next();
                    print(p, item);
                    if number + 1 < items.len() {
                        p.comma();
                    }
                }
                p.comments_before_next();
            });
            p.push(if items.is_empty() {
                Piece::Soft
            } else {
                edge()
            });
            p.token();
        });
    }

    pub(super) fn call(&mut self, call: &Call) {
        self.path();
        self.args(&call.args);
        self.mixins(&call.mixins);
    }

    fn args(&mut self, args: &[Arg]) {
        self.list(args, false, |p, arg| {
            p.token();
            p.space();
            p.token();
            p.space();
            p.expr(&arg.value);
        });
    }

    pub(super) fn mixins(&mut self, mixins: &[Mixin]) {
        if mixins.is_empty() {
            return;
        }
        self.group(|p| {
            p.indent(|p| {
                for mixin in mixins {
                    p.break_as(Piece::Line);
                    p.token();
                    p.space();
                    p.path();
                    p.args(&mixin.args);
                    if mixin.alias.is_some() {
                        p.space();
                        p.token();
                        p.space();
                        p.token();
                    }
                }
            });
        });
    }

    pub(super) fn expr(&mut self, expr: &Expr) {
        self.comments_before_next();
        let mut open = 0;
        match expr.kind {
            ExprKind::Concat(_) | ExprKind::Binary { .. } => {
                self.group(|p| p.indent(|p| p.nested(expr, &mut open)));
            }
            _ => self.nested(expr, &mut open),
        }
        debug_assert_eq!(open, 0, "parentheses are closed within their expression");
    }

    /// An expression within `open` parentheses. A parenthesis has no node: it is printed before the
    /// first token of what it contains, and closed after the last one.
    fn nested(&mut self, expr: &Expr, open: &mut usize) {
        match &expr.kind {
            ExprKind::Concat(operands) => {
                for (number, operand) in operands.iter().enumerate() {
                    if number > 0 {
                        self.operator();
                    }
                    self.nested(operand, open);
                }
            }
            ExprKind::Binary { left, right, .. } => {
                self.nested(left, open);
                self.operator();
                self.nested(right, open);
            }
            ExprKind::Index { target, index } => {
                self.nested(target, open);
                self.token();
                self.expr(index);
                self.token();
            }
            ExprKind::Unary { operand, .. } => {
                self.prefix(open);
                self.sign();
                self.nested(operand, open);
            }
            ExprKind::Array(elements) => {
                self.prefix(open);
                self.list(elements, false, Self::expr);
            }
            ExprKind::Map(entries) => {
                self.prefix(open);
                self.list(entries, true, Self::entry);
            }
            ExprKind::Ref(_) => {
                self.prefix(open);
                self.path();
            }
            ExprKind::String(_)
            | ExprKind::Int(_)
            | ExprKind::Double(_)
            | ExprKind::Boolean(_)
            | ExprKind::Null => {
                self.prefix(open);
                self.token();
            }
        }
        while *open > 0 && self.next() == TokenKind::RParen {
            self.token();
            *open -= 1;
        }
    }

    /// The parentheses and `+` signs before an operand.
    fn prefix(&mut self, open: &mut usize) {
        loop {
            match self.next() {
                TokenKind::LParen => {
                    self.token();
                    *open += 1;
                }
                TokenKind::Plus => self.sign(),
                _ => return,
            }
        }
    }

    /// A unary operator. Two signs are kept apart, since `++` is another operator.
    fn sign(&mut self) {
        self.token();
        if matches!(self.next(), TokenKind::Plus | TokenKind::Minus) {
            self.space();
        }
    }

    fn operator(&mut self) {
        self.break_as(Piece::Line);
        self.token();
        self.space();
    }

    fn entry(&mut self, entry: &Entry) {
        self.token();
        self.token();
        self.space();
        self.expr(&entry.value);
    }
}
