//! Reads an expression and refuses what it must not contain.

use std::sync::{Arc, LazyLock};

use cel::Env;
use cel::common::ast::{EntryExpr, Expr, IdedExpr};
use cel::parser::PrattParser;

use crate::definition::Expression;
use crate::limits::{LimitExceeded, Limits, within};

/// The deepest nesting of an expression.
///
/// Evaluation takes about 40 kB of stack for each level in a build without optimization, and threads
/// have 2 MiB. Each term of a sum is a level; terms of `&&` and `||` are not.
const MOST_DEPTH: usize = 32;

/// Functions that an expression may call, besides operators and macros.
pub(crate) const FUNCTIONS: [&str; 10] = [
    "bool",
    "contains",
    "double",
    "dyn",
    "endsWith",
    "int",
    "size",
    "startsWith",
    "string",
    "uint",
];

pub(super) static ENV: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(Env::stdlib()));

/// The variables of an expression besides `state`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Names {
    /// No others.
    #[default]
    State,
    /// `result`: the result of the source of an edge.
    Result,
    /// `item` and `index`: an element of the list of a `map`, and its place.
    Item,
}

impl Names {
    /// Returns the names of all variables.
    #[must_use]
    pub const fn all(self) -> &'static [&'static str] {
        match self {
            Self::State => &["state"],
            Self::Result => &["state", "result"],
            Self::Item => &["state", "item", "index"],
        }
    }
}

/// Why an expression is refused before it is evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// It is too long.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    /// It is not CEL.
    #[error("the expression is not valid CEL: {message}")]
    Syntax {
        /// What the parser found.
        message: String,
    },
    /// It is nested too deeply.
    #[error(
        "the expression is nested too deeply; split it over several keys or nodes: most={MOST_DEPTH}"
    )]
    Nesting,
    /// A variable that this expression does not have.
    #[error("the expression has no variable of this name: name={name:?}, known={}", known.join(", "))]
    Variable {
        /// The name.
        name: String,
        /// The variables that it has.
        known: &'static [&'static str],
    },
    /// A function that does not exist.
    #[error("no function has this name: name={name:?}, known={}", FUNCTIONS.join(", "))]
    Function {
        /// The name.
        name: String,
    },
}

/// An expression that was read.
#[derive(Debug, Clone)]
pub struct Parsed {
    pub(super) source: String,
    pub(super) root: IdedExpr,
}

impl Parsed {
    /// Reads an expression.
    ///
    /// # Errors
    /// [`ParseError`] if it is too long, not CEL, nested too deeply, or if it names a variable or a
    /// function that does not exist.
    pub fn parse(source: &Expression, names: Names, limits: &Limits) -> Result<Self, ParseError> {
        let source = source.as_str();
        within("expression", source.len(), limits.expression)?;
        let parsed = PrattParser::new().parse(source);
        let root = parsed.map_err(|errors| ParseError::Syntax {
            message: first(&errors),
        })?;
        let mut walk = Walk {
            bound: Vec::new(),
            names,
        };
        walk.visit(&root, 0)?;
        Ok(Self {
            source: source.to_owned(),
            root,
        })
    }
}

fn first(errors: &cel::ParseErrors) -> String {
    let error = errors.errors.first();
    let text = error.map_or_else(String::new, |error| {
        format!("{} at {}:{}", error.msg, error.pos.0, error.pos.1)
    });
    text.lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(200)
        .collect()
}

struct Walk {
    /// Variables of the macros around.
    bound: Vec<String>,
    names: Names,
}

impl Walk {
    fn visit(&mut self, node: &IdedExpr, depth: usize) -> Result<(), ParseError> {
        if depth > MOST_DEPTH {
            return Err(ParseError::Nesting);
        }
        let depth = depth + 1;
        match &node.expr {
            Expr::Literal(_) => Ok(()),
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) => self.visit(&select.operand, depth),
            Expr::Call(call) => {
                let name = call.func_name.as_str();
                let operator = name.starts_with(['_', '@', '!', '-']);
                if !operator && !FUNCTIONS.contains(&name) {
                    return Err(ParseError::Function {
                        name: name.to_owned(),
                    });
                }
                let target = call.target.iter().map(|target| &**target);
                target
                    .chain(&call.args)
                    .try_for_each(|part| self.visit(part, depth))
            }
            Expr::List(list) => list
                .elements
                .iter()
                .try_for_each(|part| self.visit(part, depth)),
            Expr::Map(map) => map.entries.iter().try_for_each(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => {
                    self.visit(&entry.key, depth)?;
                    self.visit(&entry.value, depth)
                }
                EntryExpr::StructField(field) => self.visit(&field.value, depth),
            }),
            Expr::Comprehension(comprehension) => {
                // A macro takes the stack of two levels, and so does the call that charges it.
                let depth = depth + 1;
                self.visit(&comprehension.iter_range, depth + 1)?;
                self.visit(&comprehension.accu_init, depth)?;
                let before = self.bound.len();
                self.bound.push(comprehension.accu_var.clone());
                self.bound.push(comprehension.iter_var.clone());
                self.bound.extend(comprehension.iter_var2.clone());
                for part in [
                    &comprehension.loop_cond,
                    &comprehension.loop_step,
                    &comprehension.result,
                ] {
                    self.visit(part, depth)?;
                }
                self.bound.truncate(before);
                Ok(())
            }
            Expr::Struct(object) => Err(ParseError::Function {
                name: object.type_name.clone(),
            }),
            Expr::Unspecified => Err(ParseError::Syntax {
                message: "the expression is empty".into(),
            }),
        }
    }

    fn variable(&self, name: &str) -> Result<(), ParseError> {
        let known = self.names.all();
        if known.contains(&name) || self.bound.iter().any(|bound| bound == name) {
            return Ok(());
        }
        Err(ParseError::Variable {
            name: name.to_owned(),
            known,
        })
    }
}
