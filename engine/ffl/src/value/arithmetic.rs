//! `+ - * / %` and unary `-`.

use super::{Problem, Value};
use crate::ast::BinaryOp;

/// The result of an arithmetic operator.
pub(super) fn arithmetic(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, Problem> {
    let operator = op.as_str();
    if let (Value::Int(a), Value::Int(b)) = (left, right) {
        return ints(op, *a, *b);
    }
    match (double(left), double(right)) {
        (Some(a), Some(b)) => doubles(op, a, b),
        _ => Err(Problem::NotNumbers {
            operator,
            left: left.kind(),
            right: right.kind(),
        }),
    }
}

/// The result of unary `-`.
pub(super) fn negate(operand: &Value) -> Result<Value, Problem> {
    match operand {
        Value::Int(value) => value
            .checked_neg()
            .map(Value::Int)
            .ok_or_else(|| Problem::Overflow {
                operation: format!("-({value})"),
            }),
        Value::Double(value) => Ok(Value::Double(-value)),
        other => Err(Problem::NotNumber {
            operand: other.kind(),
        }),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "an operation with a double is one on doubles"
)]
fn double(value: &Value) -> Option<f64> {
    match value {
        Value::Int(value) => Some(*value as f64),
        Value::Double(value) => Some(*value),
        _ => None,
    }
}

fn ints(op: BinaryOp, a: i64, b: i64) -> Result<Value, Problem> {
    let operator = op.as_str();
    let result = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Rem if b == 0 => return Err(Problem::DivisionByZero { operator }),
        BinaryOp::Rem => {
            // Wrapping: the only overflow is MIN % -1, which is 0.
            let rest = a.wrapping_rem(b);
            let other_sign = rest != 0 && (rest < 0) != (b < 0);
            Some(if other_sign { rest + b } else { rest })
        }
        _ => {
            let (a, b) = (double(&Value::Int(a)), double(&Value::Int(b)));
            return doubles(op, a.expect("an integer"), b.expect("an integer"));
        }
    };
    result.map(Value::Int).ok_or_else(|| Problem::Overflow {
        operation: format!("{a} {operator} {b}"),
    })
}

fn doubles(op: BinaryOp, a: f64, b: f64) -> Result<Value, Problem> {
    let operator = op.as_str();
    let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
    if divides && b == 0.0 {
        return Err(Problem::DivisionByZero { operator });
    }
    let result = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        BinaryOp::Rem => {
            let rest = a % b;
            if rest == 0.0 {
                rest.copysign(b)
            } else if (rest < 0.0) == (b < 0.0) {
                rest
            } else {
                rest + b
            }
        }
        _ => unreachable!("the operator is arithmetic"),
    };
    if result.is_finite() {
        Ok(Value::Double(result))
    } else {
        Err(Problem::NotFinite {
            operation: format!("{a:?} {operator} {b:?}"),
        })
    }
}
