//! Operators, by precedence.

use super::parser::{MAX_DEPTH, Parse, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::diag::{Code, Diagnostic};
use crate::lex::TokenKind;
use crate::source::Span;

/// An expression and the height of its tree: 0 for a literal or reference.
pub(super) struct Tall {
    pub(super) expr: Expr,
    pub(super) height: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Precedence {
    Or,
    And,
    Compare,
    Concat,
    Add,
    Multiply,
    Unary,
}

impl Precedence {
    /// The precedence of the right operand: operators associate to the left.
    fn right(self) -> Self {
        match self {
            Self::Or => Self::And,
            Self::And => Self::Compare,
            Self::Compare => Self::Concat,
            Self::Concat => Self::Add,
            Self::Add => Self::Multiply,
            Self::Multiply | Self::Unary => Self::Unary,
        }
    }
}

/// The binary operator of a token; `None` in place of the operator is `++`.
fn binary_operator(kind: TokenKind) -> Option<(Option<BinaryOp>, Precedence)> {
    Some(match kind {
        TokenKind::OrOr => (Some(BinaryOp::Or), Precedence::Or),
        TokenKind::AndAnd => (Some(BinaryOp::And), Precedence::And),
        TokenKind::EqEq => (Some(BinaryOp::Eq), Precedence::Compare),
        TokenKind::NotEq => (Some(BinaryOp::Ne), Precedence::Compare),
        TokenKind::GreaterEq => (Some(BinaryOp::Ge), Precedence::Compare),
        TokenKind::LessEq => (Some(BinaryOp::Le), Precedence::Compare),
        TokenKind::Greater => (Some(BinaryOp::Gt), Precedence::Compare),
        TokenKind::Less => (Some(BinaryOp::Lt), Precedence::Compare),
        TokenKind::PlusPlus => (None, Precedence::Concat),
        TokenKind::Plus => (Some(BinaryOp::Add), Precedence::Add),
        TokenKind::Minus => (Some(BinaryOp::Sub), Precedence::Add),
        TokenKind::Star => (Some(BinaryOp::Mul), Precedence::Multiply),
        TokenKind::Slash => (Some(BinaryOp::Div), Precedence::Multiply),
        TokenKind::Percent => (Some(BinaryOp::Rem), Precedence::Multiply),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        self.binary(Precedence::Or).map(|tall| tall.expr)
    }

    pub(super) fn binary(&mut self, least: Precedence) -> Parse<Tall> {
        let first = self.peek();
        let mut left = self.unary()?;
        // The precedence of the operator that `left` was built from here.
        let mut built = None;
        while let Some((op, precedence)) = binary_operator(self.peek().kind) {
            if precedence < least {
                break;
            }
            let token = self.bump();
            if precedence == Precedence::Compare && built == Some(precedence) {
                self.report(
                    Diagnostic::new(
                        Code::E001,
                        self.span(token),
                        "a comparison cannot follow a comparison",
                    )
                    .help("combine two comparisons with `&&`"),
                );
            }
            let right = self.binary(precedence.right())?;
            let continues = op.is_none() && built == Some(Precedence::Concat);
            let height = if continues {
                left.height.max(right.height + 1)
            } else {
                left.height.max(right.height) + 1
            };
            let kind = match (op, left.expr.kind) {
                (None, ExprKind::Concat(mut operands)) if continues => {
                    operands.push(right.expr);
                    ExprKind::Concat(operands)
                }
                (op, kind) => {
                    let left = Expr {
                        span: left.expr.span,
                        kind,
                    };
                    match op {
                        None => ExprKind::Concat(vec![left, right.expr]),
                        Some(op) => ExprKind::Binary {
                            op,
                            left: Box::new(left),
                            right: Box::new(right.expr),
                        },
                    }
                }
            };
            let span = self.span_from(first);
            left = self.tall(span, kind, height)?;
            built = Some(precedence);
        }
        Ok(left)
    }

    /// An expression, if its tree is not too high.
    pub(super) fn tall(&mut self, span: Span, kind: ExprKind, height: u32) -> Parse<Tall> {
        if height > MAX_DEPTH {
            return Err(self.too_deep());
        }
        Ok(Tall {
            expr: Expr { span, kind },
            height,
        })
    }

    fn unary(&mut self) -> Parse<Tall> {
        let first = self.peek();
        let op = match first.kind {
            TokenKind::Minus => Some(UnaryOp::Neg),
            TokenKind::Bang => Some(UnaryOp::Not),
            TokenKind::Plus => None,
            _ => return self.postfix(),
        };
        self.bump();
        let operand = self.deeper(Self::unary)?;
        let Some(op) = op else { return Ok(operand) };
        let height = operand.height + 1;
        let kind = ExprKind::Unary {
            op,
            operand: Box::new(operand.expr),
        };
        let span = self.span_from(first);
        self.tall(span, kind, height)
    }

    fn postfix(&mut self) -> Parse<Tall> {
        let first = self.peek();
        let mut target = self.atom()?;
        while self.at(TokenKind::LBracket) {
            let open = self.bump();
            let index = self.enclosed(open, TokenKind::RBracket, "after the index", Self::inner)?;
            let height = target.height.max(index.height) + 1;
            let kind = ExprKind::Index {
                target: Box::new(target.expr),
                index: Box::new(index.expr),
            };
            let span = self.span_from(first);
            target = self.tall(span, kind, height)?;
        }
        if self.at(TokenKind::Dot) {
            let message = "a member access is only allowed in a reference";
            self.error_with(|span| {
                Diagnostic::new(Code::E001, span, message).help("write `[\"name\"]` for a property")
            });
            while self.at(TokenKind::Dot) && self.peek_at(1).kind == TokenKind::Ident {
                self.bump();
                self.bump();
            }
        }
        Ok(target)
    }
}
