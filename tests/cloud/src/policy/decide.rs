//! All policies that apply to a role, and their decision about a request.

use serde_json::Value;

use crate::policy::access::Access;
use crate::policy::statement::{PolicyError, Statement};

/// The policies of a role and of the resources that it accesses.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    role: String,
    statements: Vec<Statement>,
}

/// The decision about a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// A statement allows it, and none denies it.
    Allowed,
    /// A statement denies it: its sid.
    Denied(String),
    /// No statement allows it.
    NotAllowed,
}

impl Policy {
    /// The policy of a role without any permission.
    #[must_use]
    pub fn of(role: impl Into<String>) -> Self {
        Self {
            role: role.into(),
            statements: Vec::new(),
        }
    }

    /// Adds a policy document: the role's own, or a resource's.
    ///
    /// # Errors
    /// [`PolicyError`] if it is malformed, or uses a feature that this evaluator does not support.
    pub fn add(&mut self, document: &Value) -> Result<(), PolicyError> {
        self.statements
            .extend(Statement::all(document, &self.role)?);
        Ok(())
    }

    /// Decides about one access.
    #[must_use]
    pub fn decide(&self, access: &Access) -> Decision {
        let mut applying = self
            .statements
            .iter()
            .filter(|statement| statement.applies(access));
        let mut allowed = false;
        for statement in applying.by_ref() {
            if !statement.allow {
                return Decision::Denied(statement.sid.clone());
            }
            allowed = true;
        }
        match allowed {
            true => Decision::Allowed,
            false => Decision::NotAllowed,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ROLE: &str = "arn:aws:iam::000000000000:role/worker";

    fn decide(documents: &[Value], action: &str, resource: &str) -> Decision {
        let mut policy = Policy::of(ROLE);
        for document in documents {
            policy.add(document).expect("it is well-formed");
        }
        policy.decide(&Access::new(action, resource))
    }

    fn allow(action: &str, resource: &str) -> Value {
        json!({"Statement": [{"Effect": "Allow", "Action": action, "Resource": resource}]})
    }

    #[test]
    fn what_nothing_allows_is_denied() {
        let some = allow("s3:GetObject", "arn:aws:s3:::pond/x/*");
        assert_eq!(
            decide(&[], "s3:GetObject", "arn:aws:s3:::pond/x/1"),
            Decision::NotAllowed
        );
        let some = [some];
        assert_eq!(
            decide(&some, "s3:GetObject", "arn:aws:s3:::pond/x/1"),
            Decision::Allowed
        );
        assert_eq!(
            decide(&some, "s3:PutObject", "arn:aws:s3:::pond/x/1"),
            Decision::NotAllowed
        );
        assert_eq!(
            decide(&some, "s3:GetObject", "arn:aws:s3:::pond/y/1"),
            Decision::NotAllowed
        );
    }

    #[test]
    fn a_deny_beats_every_allow_in_any_order() {
        let deny = json!({"Statement": {"Sid": "No", "Effect": "Deny", "Principal": "*",
            "Action": "s3:Put*", "Resource": "arn:aws:s3:::pond/*/head"}});
        let all = allow("s3:*", "*");
        for documents in [[deny.clone(), all.clone()], [all, deny]] {
            let head = decide(&documents, "s3:PutObject", "arn:aws:s3:::pond/x/1/head");
            assert_eq!(head, Decision::Denied("No".to_owned()));
            let log = decide(&documents, "s3:PutObject", "arn:aws:s3:::pond/x/1/log");
            assert_eq!(log, Decision::Allowed);
        }
    }

    #[test]
    fn actions_ignore_case_and_resources_do_not() {
        let some = [allow("S3:getobject", "arn:aws:s3:::pond/X")];
        assert_eq!(
            decide(&some, "s3:GetObject", "arn:aws:s3:::pond/X"),
            Decision::Allowed
        );
        assert_eq!(
            decide(&some, "s3:GetObject", "arn:aws:s3:::pond/x"),
            Decision::NotAllowed
        );
    }

    #[test]
    fn not_action_and_not_resource_are_all_others() {
        let some = [
            json!({"Statement": {"Effect": "Allow", "NotAction": "s3:Delete*",
            "NotResource": ["arn:aws:s3:::pond/x/*"]}}),
        ];
        assert_eq!(
            decide(&some, "s3:GetObject", "arn:aws:s3:::pond/y"),
            Decision::Allowed
        );
        assert_eq!(
            decide(&some, "s3:DeleteObject", "arn:aws:s3:::pond/y"),
            Decision::NotAllowed
        );
        assert_eq!(
            decide(&some, "s3:GetObject", "arn:aws:s3:::pond/x/1"),
            Decision::NotAllowed
        );
    }

    #[test]
    fn a_resource_policy_concerns_whom_it_names() {
        for (principal, expected) in [
            (json!("*"), Decision::Allowed),
            (json!({"AWS": "*"}), Decision::Allowed),
            (json!({"AWS": ["someone", ROLE]}), Decision::Allowed),
            (
                json!({"AWS": "arn:aws:iam::000000000000:role/other"}),
                Decision::NotAllowed,
            ),
            (json!({"Service": "s3.amazonaws.com"}), Decision::NotAllowed),
        ] {
            let document = json!({"Statement": {"Effect": "Allow", "Principal": principal,
                "Action": "sqs:SendMessage", "Resource": "*"}});
            assert_eq!(decide(&[document], "sqs:SendMessage", "q"), expected);
        }
    }

    #[test]
    fn a_policy_that_cannot_be_read_is_refused() {
        let mut policy = Policy::of(ROLE);
        for document in [
            json!({}),
            json!({"Statement": [{"Effect": "allow", "Action": "*", "Resource": "*"}]}),
            json!({"Statement": [{"Effect": "Allow", "Resource": "*"}]}),
            json!({"Statement": [{"Effect": "Allow", "Action": "*"}]}),
            json!({"Statement": [{"Effect": "Allow", "Action": {}, "Resource": "*"}]}),
            allow("s3:GetObject", "arn:aws:s3:::pond/${aws:userid}/*"),
        ] {
            assert!(policy.add(&document).is_err(), "{document}");
        }
    }
}
