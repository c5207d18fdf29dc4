//! Evaluates an expression.

use std::sync::Arc;

use cel::Context;
use cel::common::ast::IdedExpr;
use serde_json::Value;

use super::convert::{object, to_cel, to_json};
use super::meter::{Meter, rewrite};
use super::parse::{ENV, Names, ParseError, Parsed};
use crate::category::Category;
use crate::definition::Expression;
use crate::limits::{LimitExceeded, Limits};
use crate::state::State;

/// The values that an expression may read.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The state of the barrier.
    pub state: &'a State,
    /// The result of the source of an edge.
    pub result: Option<&'a Value>,
    /// An element of the list of a `map`, and its place.
    pub item: Option<(&'a Value, usize)>,
}

impl<'a> Scope<'a> {
    /// A scope with the state only.
    #[must_use]
    pub const fn of(state: &'a State) -> Self {
        Self {
            state,
            result: None,
            item: None,
        }
    }

    /// The same scope with a result.
    #[must_use]
    pub const fn with_result(self, result: &'a Value) -> Self {
        Self {
            result: Some(result),
            ..self
        }
    }

    /// The same scope with an element of a list.
    #[must_use]
    pub const fn with_item(self, item: &'a Value, index: usize) -> Self {
        Self {
            item: Some((item, index)),
            ..self
        }
    }
}

/// An expression that is ready to be evaluated, as often as needed.
#[derive(Debug, Clone)]
pub struct Compiled {
    source: Arc<str>,
    root: Arc<IdedExpr>,
    reads: Option<Vec<String>>,
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
        let Parsed {
            source,
            mut root,
            reads,
        } = parsed;
        let nodes = rewrite(&mut root);
        Self {
            source: source.into(),
            root: Arc::new(root),
            reads: reads.map(|reads| reads.into_iter().collect()),
            nodes,
            operations: limits.operations,
        }
    }

    /// Returns the value of the expression.
    ///
    /// # Errors
    /// [`EvaluateError`] if it fails on these values, takes too much work, or its value is not JSON.
    pub fn evaluate(&self, scope: &Scope<'_>) -> Result<Value, EvaluateError> {
        let meter = Meter::new(self.operations);
        let mut context = Context::with_env(Arc::clone(&ENV));
        meter.attach(&mut context);
        context.add_variable_from_value("state", self.state(scope.state));
        if let Some(result) = scope.result {
            context.add_variable_from_value("result", to_cel(result));
        }
        if let Some((item, index)) = scope.item {
            context.add_variable_from_value("item", to_cel(item));
            context.add_variable_from_value("index", i64::try_from(index).unwrap_or(i64::MAX));
        }
        let outcome = meter
            .charge(self.nodes)
            .and_then(|()| context.resolve(&self.root));
        if let Some(spent) = meter.exceeded() {
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
            let message = error.to_string().chars().take(200).collect();
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

    /// Returns what the expression reads of the state: a conversion of all of it would cost more than
    /// most expressions.
    fn state(&self, state: &State) -> cel::Value {
        match &self.reads {
            None => object(
                state
                    .iter()
                    .map(|(key, value)| (key.as_str(), to_cel(value))),
            ),
            Some(keys) => {
                let read = keys.iter().filter_map(|key| {
                    state
                        .get(key.as_str())
                        .map(|value| (key.as_str(), to_cel(value)))
                });
                object(read)
            }
        }
    }

    fn excerpt(&self) -> String {
        self.source.chars().take(100).collect()
    }
}
