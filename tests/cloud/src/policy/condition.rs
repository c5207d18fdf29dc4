//! Conditions of statements.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::policy::pattern::matches;
use crate::policy::statement::{PolicyError, texts};

/// The supported condition keys: all keys that our requests have or lack.
const KEYS: [&str; 11] = [
    "aws:principalaccount",
    "aws:principalarn",
    "aws:resourceaccount",
    "aws:securetransport",
    "s3:delimiter",
    "s3:if-match",
    "s3:if-none-match",
    "s3:max-keys",
    "s3:objectcreationoperation",
    "s3:prefix",
    "s3:x-amz-server-side-encryption",
];

/// The known values of a request, by the lower-case name of the key.
pub(crate) type Context = BTreeMap<String, String>;

/// One key under one operator.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    key: String,
    test: Test,
    /// `...Not...`: none of the values may match, and an absent key satisfies the condition.
    negated: bool,
    /// `...IfExists`: an absent key satisfies the condition.
    if_exists: bool,
    values: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
enum Test {
    Equals,
    EqualsIgnoreCase,
    Like,
    Bool,
    Null,
}

impl Condition {
    /// Parses a statement's `Condition`.
    pub(crate) fn all(value: &Value) -> Result<Vec<Self>, PolicyError> {
        let object = |value: &Value| match value {
            Value::Object(fields) => Ok(fields.clone()),
            other => Err(PolicyError::Malformed {
                what: "a condition",
                value: other.to_string(),
            }),
        };
        if value.is_null() {
            return Ok(Vec::new());
        }
        let mut all = Vec::new();
        for (operator, keys) in object(value)? {
            for (key, values) in object(&keys)? {
                all.push(Self::read(&operator, &key, &values)?);
            }
        }
        Ok(all)
    }

    fn read(operator: &str, key: &str, values: &Value) -> Result<Self, PolicyError> {
        let (name, if_exists) = match operator.strip_suffix("IfExists") {
            Some(name) => (name, true),
            None => (operator, false),
        };
        let (test, negated) = match name {
            "StringEquals" | "ArnEquals" => (Test::Equals, false),
            "StringNotEquals" | "ArnNotEquals" => (Test::Equals, true),
            "StringEqualsIgnoreCase" => (Test::EqualsIgnoreCase, false),
            "StringNotEqualsIgnoreCase" => (Test::EqualsIgnoreCase, true),
            "StringLike" | "ArnLike" => (Test::Like, false),
            "StringNotLike" | "ArnNotLike" => (Test::Like, true),
            "Bool" => (Test::Bool, false),
            // There is no NullIfExists.
            "Null" if !if_exists => (Test::Null, false),
            _ => {
                return Err(PolicyError::Operator {
                    operator: operator.to_owned(),
                });
            }
        };
        // ARNs with wildcards are patterns under ArnEquals as well.
        let test = if name.starts_with("Arn") {
            Test::Like
        } else {
            test
        };
        let key = key.to_ascii_lowercase();
        if !KEYS.contains(&key.as_str()) {
            return Err(PolicyError::Key { key });
        }
        let values = texts(values, "a condition's values")?;
        Ok(Self {
            key,
            test,
            negated,
            if_exists,
            values,
        })
    }

    /// Whether it holds for a request.
    pub(crate) fn holds(&self, context: &Context) -> bool {
        let found = context.get(&self.key);
        if matches!(self.test, Test::Null) {
            return self
                .values
                .iter()
                .any(|value| (value == "true") == found.is_none());
        }
        let Some(found) = found else {
            return self.negated || self.if_exists;
        };
        let fits = |value: &String| match self.test {
            Test::Equals => value == found,
            Test::EqualsIgnoreCase | Test::Bool => value.eq_ignore_ascii_case(found),
            Test::Like => matches(value, found),
            Test::Null => unreachable!("it is answered above"),
        };
        self.values.iter().any(fits) != self.negated
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn holds(condition: &Value, context: &[(&str, &str)]) -> bool {
        let context = context
            .iter()
            .map(|&(key, value)| (key.to_owned(), value.to_owned()));
        let context = context.collect();
        let all = Condition::all(condition).expect("it is well-formed");
        all.iter().all(|condition| condition.holds(&context))
    }

    #[test]
    fn like_takes_wildcards_and_equals_does_not() {
        let like = json!({"StringLike": {"s3:prefix": ["mail/*", "timers/*"]}});
        assert!(holds(&like, &[("s3:prefix", "timers/2026")]));
        assert!(!holds(&like, &[("s3:prefix", "x/")]));
        assert!(!holds(&like, &[]), "a key that is not there fits nothing");
        let equals = json!({"StringEquals": {"S3:Prefix": "mail/*"}});
        assert!(holds(&equals, &[("s3:prefix", "mail/*")]));
        assert!(!holds(&equals, &[("s3:prefix", "mail/a")]));
    }

    #[test]
    fn a_negated_operator_wants_none_of_its_values_and_no_key() {
        let condition = json!({"StringNotLike": {"s3:prefix": ["mail/*", "x/*"]}});
        assert!(!holds(&condition, &[("s3:prefix", "x/1")]));
        assert!(holds(&condition, &[("s3:prefix", "feed/1")]));
        assert!(holds(&condition, &[]));
    }

    #[test]
    fn if_exists_is_satisfied_by_absence() {
        let condition = json!({"StringLikeIfExists": {"s3:prefix": "mail/*"}});
        assert!(holds(&condition, &[]) && holds(&condition, &[("s3:prefix", "mail/1")]));
        assert!(!holds(&condition, &[("s3:prefix", "x/1")]));
    }

    #[test]
    fn null_asks_whether_a_key_is_there() {
        let unconditional = json!({"Null": {"s3:if-match": "true", "s3:if-none-match": "true"}});
        assert!(holds(&unconditional, &[]));
        assert!(!holds(&unconditional, &[("s3:if-match", "\"e\"")]));
        assert!(!holds(&unconditional, &[("s3:if-none-match", "*")]));
        let conditional = json!({"Null": {"s3:if-match": false}});
        assert!(!holds(&conditional, &[]) && holds(&conditional, &[("s3:if-match", "\"e\"")]));
    }

    #[test]
    fn a_bool_may_be_written_either_way() {
        for no in [json!("false"), json!(false)] {
            let condition = json!({"Bool": {"aws:SecureTransport": no}});
            assert!(holds(&condition, &[("aws:securetransport", "false")]));
            assert!(!holds(&condition, &[("aws:securetransport", "true")]));
            assert!(!holds(&condition, &[]));
        }
    }

    #[test]
    fn what_is_not_known_is_refused_by_name() {
        let error = |condition| Condition::all(&condition).expect_err("refused").to_string();
        let operator = error(json!({"DateLessThan": {"aws:CurrentTime": "2026-01-01"}}));
        assert!(operator.contains("DateLessThan"), "{operator}");
        let key = error(json!({"StringEquals": {"aws:SourceIp": "10.0.0.1"}}));
        assert!(key.contains("aws:sourceip"), "{key}");
        assert!(error(json!({"Null": {"s3:prefix": {}}})).contains("values"));
    }
}
