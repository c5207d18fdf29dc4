//! Evaluates an expression.

use std::sync::Arc;

use cel::common::ast::IdedExpr;
use serde_json::Value;

use super::convert::to_json;
use super::errors::describe;
use super::lower::{Reads, lower};
use super::meter::rewrite;
use super::parse::{Names, ParseError, Parsed};
use super::scope::Scope;
use crate::category::Category;
use crate::definition::Expression;
use crate::limits::{LimitExceeded, Limits};

/// An expression that is ready to be evaluated, as often as needed.
#[derive(Debug, Clone)]
pub struct Compiled {
    source: Arc<str>,
    root: Arc<IdedExpr>,
    reads: Arc<Reads>,
    nodes: u64,
    operations: u64,
}

/// Why an evaluation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvaluateError {
    /// The expression cannot be computed on these values.
    #[error("the expression failed: {message}: expression={expression:?}")]
    Failed {
        /// The source, cut after 100 characters.
        expression: String,
        /// What failed.
        message: String,
    },
    /// The value is not JSON.
    #[error("the value of the expression is not JSON; it is {what}: expression={expression:?}")]
    NotJson {
        /// The source, cut after 100 characters.
        expression: String,
        /// What it is instead.
        what: &'static str,
    },
    /// The value has another type than its place requires.
    #[error(
        "the value of the expression is not {required}; it is {found}: expression={expression:?}"
    )]
    Type {
        /// The source, cut after 100 characters.
        expression: String,
        /// What is required.
        required: &'static str,
        /// The JSON type that was found.
        found: &'static str,
    },
    /// The evaluation takes too many operations.
    #[error("{limit}: expression={expression:?}")]
    Limit {
        /// The source, cut after 100 characters.
        expression: String,
        /// The bound.
        limit: LimitExceeded,
    },
}

impl EvaluateError {
    /// Returns the category of the failure that it causes.
    #[must_use]
    pub const fn category(&self) -> Category {
        match self {
            Self::Failed { .. } | Self::NotJson { .. } | Self::Type { .. } => Category::Evaluation,
            Self::Limit { .. } => Category::Limit,
        }
    }
}

impl Compiled {
    /// Compiles an expression.
    ///
    /// # Errors
    /// [`ParseError`] as of [`Parsed::parse`].
    pub fn compile(source: &Expression, names: Names, limits: &Limits) -> Result<Self, ParseError> {
        Ok(Self::of(Parsed::parse(source, names, limits)?, limits))
    }

    pub(super) fn of(parsed: Parsed, limits: &Limits) -> Self {
        let Parsed { source, mut root } = parsed;
        let reads = lower(&mut root);
        let nodes = rewrite(&mut root);
        Self {
            source: source.into(),
            root: Arc::new(root),
            reads: Arc::new(reads),
            nodes,
            operations: limits.operations,
        }
    }

    /// Returns the value of the expression.
    ///
    /// # Errors
    /// [`EvaluateError`] if it fails on these values, takes too much work, or its value is not JSON.
    pub fn evaluate(&self, scope: &Scope<'_>) -> Result<Value, EvaluateError> {
        let session = scope.load(&self.reads);
        session.meter.begin(self.operations);
        let outcome = session.meter.charge(self.nodes).and_then(|()| {
            let mut context = session.context();
            scope.bind(&self.reads, &mut context);
            context.resolve(&self.root)
        });
        if let Some(spent) = session.meter.exceeded() {
            let limit = LimitExceeded {
                name: "operations",
                found: spent,
                most: self.operations,
            };
            return Err(EvaluateError::Limit {
                expression: self.excerpt(),
                limit,
            });
        }
        let value = outcome.map_err(|error| {
            let message = describe(&error).chars().take(200).collect();
            EvaluateError::Failed {
                expression: self.excerpt(),
                message,
            }
        })?;
        to_json(&value).map_err(|what| EvaluateError::NotJson {
            expression: self.excerpt(),
            what,
        })
    }

    /// Returns the value of a condition.
    ///
    /// # Errors
    /// [`EvaluateError`] as of [`Self::evaluate`], and if the value is not a boolean.
    pub fn condition(&self, scope: &Scope<'_>) -> Result<bool, EvaluateError> {
        match self.evaluate(scope)? {
            Value::Bool(flag) => Ok(flag),
            other => Err(self.not("a boolean", &other)),
        }
    }

    /// Returns the value of an expression that gives a list.
    ///
    /// # Errors
    /// [`EvaluateError`] as of [`Self::evaluate`], and if the value is not a list.
    pub fn list(&self, scope: &Scope<'_>) -> Result<Vec<Value>, EvaluateError> {
        match self.evaluate(scope)? {
            Value::Array(list) => Ok(list),
            other => Err(self.not("a list", &other)),
        }
    }

    /// Returns the value of an expression that gives text.
    ///
    /// # Errors
    /// [`EvaluateError`] as of [`Self::evaluate`], and if the value is not text.
    pub fn text(&self, scope: &Scope<'_>) -> Result<String, EvaluateError> {
        match self.evaluate(scope)? {
            Value::String(text) => Ok(text),
            other => Err(self.not("text", &other)),
        }
    }

    fn not(&self, required: &'static str, found: &Value) -> EvaluateError {
        let found = crate::state::type_of(found);
        EvaluateError::Type {
            expression: self.excerpt(),
            required,
            found,
        }
    }

    fn excerpt(&self) -> String {
        self.source.chars().take(100).collect()
    }
}
