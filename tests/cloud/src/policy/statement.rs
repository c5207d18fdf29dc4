//! Statements of policies.

use serde_json::Value;

use crate::policy::access::Access;
use crate::policy::condition::Condition;
use crate::policy::pattern::matches;

/// Why a policy cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// Its JSON does not have the expected form.
    #[error("{what} is malformed: value={value}")]
    Malformed {
        /// The malformed part.
        what: &'static str,
        /// The value found.
        value: String,
    },
    /// An operator that this evaluator does not support.
    #[error("the evaluator does not know the condition operator: operator={operator}")]
    Operator {
        /// The operator.
        operator: String,
    },
    /// A key that requests here never have, so that its condition would have no effect.
    #[error("the evaluator does not know the condition key: key={key}")]
    Key {
        /// The key.
        key: String,
    },
    /// A resource with a policy variable.
    #[error("the evaluator does not know policy variables: resource={resource}")]
    Variable {
        /// The resource.
        resource: String,
    },
}

#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub(crate) sid: String,
    pub(crate) allow: bool,
    actions: Patterns,
    resources: Patterns,
    conditions: Vec<Condition>,
}

/// Patterns of which one must match, or none may.
#[derive(Debug, Clone)]
struct Patterns {
    all: Vec<String>,
    negated: bool,
}

impl Patterns {
    fn fit(&self, fits: impl Fn(&String) -> bool) -> bool {
        self.all.iter().any(fits) != self.negated
    }
}

impl Statement {
    /// Parses all statements of a policy document; those of other `principal`s are omitted.
    pub(crate) fn all(document: &Value, role: &str) -> Result<Vec<Self>, PolicyError> {
        let list = match &document["Statement"] {
            Value::Array(list) => list.iter().collect(),
            one @ Value::Object(_) => vec![one],
            other => return malformed("a policy's list of statements", other),
        };
        let mine = list
            .into_iter()
            .filter(|statement| concerns(&statement["Principal"], role));
        mine.map(Self::read).collect()
    }

    fn read(value: &Value) -> Result<Self, PolicyError> {
        let allow = match value["Effect"].as_str() {
            Some("Allow") => true,
            Some("Deny") => false,
            _ => return malformed("a statement's effect", &value["Effect"]),
        };
        let resources = patterns(value, "Resource", "NotResource")?;
        if let Some(resource) = resources
            .all
            .iter()
            .find(|resource| resource.contains("${"))
        {
            return Err(PolicyError::Variable {
                resource: resource.clone(),
            });
        }
        Ok(Self {
            sid: value["Sid"].as_str().unwrap_or("(without sid)").to_owned(),
            allow,
            actions: patterns(value, "Action", "NotAction")?,
            resources,
            conditions: Condition::all(&value["Condition"])?,
        })
    }

    /// Whether it applies to a request.
    pub(crate) fn applies(&self, access: &Access) -> bool {
        let action = access.action.to_ascii_lowercase();
        self.actions
            .fit(|pattern| matches(&pattern.to_ascii_lowercase(), &action))
            && self
                .resources
                .fit(|pattern| matches(pattern, &access.resource))
            && self
                .conditions
                .iter()
                .all(|condition| condition.holds(&access.context))
    }
}

/// Whether a statement with this principal applies to the role: identity policies have none.
fn concerns(principal: &Value, role: &str) -> bool {
    let (account, root) = (
        crate::ACCOUNT,
        format!("arn:aws:iam::{}:root", crate::ACCOUNT),
    );
    let named = |value: &Value| {
        let is = |value: &Value| {
            value
                .as_str()
                .is_some_and(|name| name == "*" || name == role || name == account || name == root)
        };
        is(value) || value.as_array().is_some_and(|all| all.iter().any(is))
    };
    match principal {
        Value::Null => true,
        Value::Object(kinds) => kinds.get("AWS").is_some_and(named),
        other => named(other),
    }
}

fn patterns(value: &Value, name: &str, negated: &str) -> Result<Patterns, PolicyError> {
    match (&value[name], &value[negated]) {
        (Value::Null, Value::Null) => malformed("a statement without action or resource", value),
        (Value::Null, all) => Ok(Patterns {
            all: texts(all, "a list of patterns")?,
            negated: true,
        }),
        (all, _) => Ok(Patterns {
            all: texts(all, "a list of patterns")?,
            negated: false,
        }),
    }
}

/// One text, or a list of them.
pub(crate) fn texts(value: &Value, what: &'static str) -> Result<Vec<String>, PolicyError> {
    let text = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        Value::Bool(bool) => Ok(bool.to_string()),
        Value::Number(number) => Ok(number.to_string()),
        other => malformed(what, other),
    };
    match value {
        Value::Array(all) => all.iter().map(text).collect(),
        one => Ok(vec![text(one)?]),
    }
}

fn malformed<T>(what: &'static str, value: &Value) -> Result<T, PolicyError> {
    Err(PolicyError::Malformed {
        what,
        value: value.to_string(),
    })
}
