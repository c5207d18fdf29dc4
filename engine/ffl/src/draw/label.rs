//! Expressions as labels.

use crate::form::{Expr, ExprKind};
use crate::value::Value;

/// The longest label, in characters.
const MAX: usize = 60;

/// An expression in one line, shortened.
pub(super) fn expr(expr: &Expr) -> String {
    shorten(&text(expr))
}

pub(super) fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MAX {
        return line;
    }
    line.chars().take(MAX - 3).collect::<String>() + "..."
}

fn text(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::String { value } => format!("{value:?}"),
        ExprKind::Int { value } => value.to_string(),
        ExprKind::Double { value } => Value::Double(*value).text(),
        ExprKind::Boolean { value } => value.to_string(),
        ExprKind::Null => "null".to_owned(),
        ExprKind::InputRef { path } => format!("$.{}", path.join(".")),
        ExprKind::StepRef { path } => path.join("."),
        ExprKind::ConcatExpr { operands } => joined(operands, " ++ "),
        ExprKind::BinaryExpr {
            operator,
            left,
            right,
        } => format!("{} {} {}", operand(left), operator.as_str(), operand(right)),
        ExprKind::UnaryExpr {
            operator,
            operand: of,
        } => format!("{}{}", operator.as_str(), operand(of)),
        ExprKind::ArrayLiteral { elements } => format!("[{}]", joined(elements, ", ")),
        ExprKind::MapLiteral { .. } => "#{..}".to_owned(),
        ExprKind::IndexExpr { target, index } => format!("{}[{}]", operand(target), text(index)),
    }
}

fn joined(exprs: &[Expr], separator: &str) -> String {
    exprs
        .iter()
        .map(operand)
        .collect::<Vec<_>>()
        .join(separator)
}

fn operand(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::BinaryExpr { .. } | ExprKind::ConcatExpr { .. } => format!("({})", text(expr)),
        _ => text(expr),
    }
}
