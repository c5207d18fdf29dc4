//! Why an evaluation failed.

use crate::form::Location;

/// A failed evaluation: what is wrong, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct EvalError {
    /// What is wrong.
    pub problem: Problem,
    /// The part of the expression that failed, if the program has locations of expressions.
    pub location: Option<Location>,
}

impl std::fmt::Display for EvalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.location {
            Some(location) => write!(f, "{}, at={location}", self.problem),
            None => self.problem.fmt(f),
        }
    }
}

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Nothing has set the value.
    #[error("the reference has no value: nothing sets it: path={path}")]
    Missing {
        /// The whole path as written.
        path: String,
    },
    /// A property of null.
    #[error("the path leads through null: path={path}, null={part}")]
    ThroughNull {
        /// The whole path as written.
        path: String,
        /// The part that is null.
        part: String,
    },
    /// A property of what has no properties.
    #[error("the path leads through {kind}, which has no properties: path={path}, value={part}")]
    NoObject {
        /// The whole path as written.
        path: String,
        /// The part that is not an object.
        part: String,
        /// What it is.
        kind: &'static str,
    },
    /// A property that the object does not have.
    #[error("the path leads to a property that does not exist: path={path}, missing={part}")]
    NoProperty {
        /// The whole path as written.
        path: String,
        /// The part that is missing.
        part: String,
    },
    /// An operator on what is not a number.
    #[error("the operator applies to numbers only, found {left} and {right}: operator={operator}")]
    NotNumbers {
        /// The operator.
        operator: &'static str,
        /// What the left operand is.
        left: &'static str,
        /// What the right operand is.
        right: &'static str,
    },
    /// Unary `-` on what is not a number.
    #[error("the operator applies to a number only, found {operand}: operator=-")]
    NotNumber {
        /// What the operand is.
        operand: &'static str,
    },
    /// The result does not fit in 64 bits.
    #[error("the integer result does not fit in 64 bits: operation={operation}")]
    Overflow {
        /// The operands and the operator.
        operation: String,
    },
    /// The result does not fit in a double.
    #[error("the result does not fit in a double: operation={operation}")]
    NotFinite {
        /// The operands and the operator.
        operation: String,
    },
    /// Division or remainder by zero.
    #[error("division by zero: operator={operator}")]
    DivisionByZero {
        /// The operator.
        operator: &'static str,
    },
    /// An ordered comparison of values without an order.
    #[error(
        "two numbers or two strings have an order, found {left} and {right}: operator={operator}"
    )]
    NoOrder {
        /// The operator.
        operator: &'static str,
        /// What the left operand is.
        left: &'static str,
        /// What the right operand is.
        right: &'static str,
    },
    /// An index beyond an array.
    #[error("the array has no such element: index={index}, length={length}")]
    NoElement {
        /// The index.
        index: i64,
        /// The number of elements.
        length: usize,
    },
    /// A key that an object does not have.
    #[error("the object has no such key: key={key:?}")]
    NoKey {
        /// The key.
        key: String,
    },
    /// An index of the wrong kind, or of what has no elements.
    #[error(
        "an array is indexed by an integer and an object by a string, found {target} and {index}"
    )]
    NotIndexable {
        /// What is indexed.
        target: &'static str,
        /// What the index is.
        index: &'static str,
    },
    /// The result exceeds a limit of values.
    #[error(transparent)]
    Limit(#[from] super::LimitError),
}

impl EvalError {
    /// The kind of the step's error: `ReferenceError` or `EvaluationError`.
    #[must_use]
    pub fn error_type(&self) -> &'static str {
        match self.problem {
            Problem::Missing { .. }
            | Problem::ThroughNull { .. }
            | Problem::NoObject { .. }
            | Problem::NoProperty { .. } => "ReferenceError",
            Problem::NotNumbers { .. }
            | Problem::NotNumber { .. }
            | Problem::Overflow { .. }
            | Problem::NotFinite { .. }
            | Problem::DivisionByZero { .. }
            | Problem::NoOrder { .. }
            | Problem::NoElement { .. }
            | Problem::NoKey { .. }
            | Problem::NotIndexable { .. }
            | Problem::Limit(_) => "EvaluationError",
        }
    }
}
