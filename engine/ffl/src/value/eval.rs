//! The evaluation of expressions.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::arithmetic::{arithmetic, negate};
use super::compare::order;
use super::index::{follow, index};
use super::text::Text;
use super::{EvalError, Problem, Value};
use crate::ast::{BinaryOp, UnaryOp};
use crate::form::{Expr, ExprKind};

/// What references denote where an expression is evaluated.
pub trait Scope {
    /// The value of `$.name`; `None` if nothing sets it.
    fn input(&self, name: &str) -> Option<Value>;

    /// The value of `step.name`, where `step` is a step or a foreach variable; `None` if nothing
    /// sets it.
    fn step(&self, step: &str, name: &str) -> Option<Value>;
}

/// The value of an expression.
///
/// # Errors
///
/// [`EvalError`] if a reference has no value, an operator does not apply to its operands, or the
/// value exceeds a limit.
pub fn evaluate(expr: &Expr, scope: &dyn Scope) -> Result<Value, EvalError> {
    let value = eval(expr, scope)?;
    // Other expressions give parts of values that are within the limits.
    let builds = matches!(
        expr.kind,
        ExprKind::ArrayLiteral { .. } | ExprKind::MapLiteral { .. } | ExprKind::ConcatExpr { .. }
    );
    if builds {
        let checked = value.within_limits();
        checked.map_err(|limit| at(expr, Problem::Limit(limit)))?;
    }
    Ok(value)
}

fn at(expr: &Expr, problem: Problem) -> EvalError {
    EvalError {
        problem,
        location: expr.location.clone(),
    }
}

fn eval(expr: &Expr, scope: &dyn Scope) -> Result<Value, EvalError> {
    let fail = |problem| at(expr, problem);
    Ok(match &expr.kind {
        ExprKind::String { value } => Value::from(value.as_str()),
        ExprKind::Int { value } => Value::Int(*value),
        ExprKind::Double { value } => Value::Double(*value),
        ExprKind::Boolean { value } => Value::Boolean(*value),
        ExprKind::Null => Value::Null,
        ExprKind::InputRef { path } => input(path, scope).map_err(fail)?,
        ExprKind::StepRef { path } => step(path, scope).map_err(fail)?,
        ExprKind::ConcatExpr { operands } => {
            let mut text = Text::default();
            for operand in operands {
                let pushed = text.push(&eval(operand, scope)?);
                pushed.map_err(|limit| fail(limit.into()))?;
            }
            text.finish()
        }
        ExprKind::BinaryExpr {
            operator,
            left,
            right,
        } => return binary(expr, *operator, (left, right), scope),
        ExprKind::UnaryExpr { operator, operand } => {
            let value = eval(operand, scope)?;
            match operator {
                UnaryOp::Not => Value::Boolean(!value.truth()),
                UnaryOp::Neg => negate(&value).map_err(fail)?,
            }
        }
        ExprKind::ArrayLiteral { elements } => {
            let elements = elements.iter().map(|element| eval(element, scope));
            Value::Array(elements.collect::<Result<_, _>>()?)
        }
        ExprKind::MapLiteral { entries } => {
            let mut properties: BTreeMap<Arc<str>, Value> = BTreeMap::new();
            for entry in entries {
                properties.insert(entry.key.as_str().into(), eval(&entry.value, scope)?);
            }
            Value::from(properties)
        }
        ExprKind::IndexExpr { target, index: key } => {
            let (target, key) = (eval(target, scope)?, eval(key, scope)?);
            index(&target, &key).map_err(fail)?
        }
    })
}

fn binary(
    expr: &Expr,
    op: BinaryOp,
    (left, right): (&Expr, &Expr),
    scope: &dyn Scope,
) -> Result<Value, EvalError> {
    let left = eval(left, scope)?;
    // The right operand of `&&` and `||` is evaluated only if it decides.
    match op {
        BinaryOp::And if !left.truth() => return Ok(Value::Boolean(false)),
        BinaryOp::Or if left.truth() => return Ok(Value::Boolean(true)),
        _ => {}
    }
    let right = eval(right, scope)?;
    let ordered = || {
        order(&left, &right).ok_or_else(|| {
            let problem = Problem::NoOrder {
                operator: op.as_str(),
                left: left.kind(),
                right: right.kind(),
            };
            at(expr, problem)
        })
    };
    Ok(Value::Boolean(match op {
        BinaryOp::And | BinaryOp::Or => right.truth(),
        BinaryOp::Eq => left == right,
        BinaryOp::Ne => left != right,
        BinaryOp::Ge => ordered()?.is_ge(),
        BinaryOp::Le => ordered()?.is_le(),
        BinaryOp::Gt => ordered()?.is_gt(),
        BinaryOp::Lt => ordered()?.is_lt(),
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
            return arithmetic(op, &left, &right).map_err(|problem| at(expr, problem));
        }
    }))
}

fn input(path: &[String], scope: &dyn Scope) -> Result<Value, Problem> {
    let first = path.first().expect("the path of a reference is not empty");
    let value = scope.input(first).ok_or_else(|| Problem::Missing {
        path: format!("$.{}", path.join(".")),
    })?;
    follow(value, "$.", path, 1)
}

fn step(path: &[String], scope: &dyn Scope) -> Result<Value, Problem> {
    let [step, name, ..] = path else {
        unreachable!("the path of a step reference has two parts");
    };
    let value = scope.step(step, name).ok_or_else(|| Problem::Missing {
        path: path.join("."),
    })?;
    follow(value, "", path, 2)
}
