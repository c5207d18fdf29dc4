//! Settings of the bucket that cost money or lose data.

use super::super::context::CommandContext;
use super::finding::StoreFinding;
use crate::bucket::Behind;

/// Findings and notes. Two requests on S3, none elsewhere.
pub(super) async fn settings(context: &CommandContext) -> (Vec<StoreFinding>, Vec<String>) {
    match &context.behind {
        Behind::Nothing if context.far => {
            let note =
                "versioning and lifecycle rules were not checked: this is implemented for S3 only";
            (Vec::new(), vec![note.to_owned()])
        }
        Behind::Nothing => (Vec::new(), Vec::new()),
        #[cfg(feature = "s3")]
        Behind::S3(bucket) => s3::settings(bucket).await,
    }
}

#[cfg(feature = "s3")]
mod s3 {
    use millpond::client::chain;
    use millpond::ports::{BucketError, Fault};
    use millpond_s3::{Rule, RuleAction, S3Bucket, Versioning};

    use super::StoreFinding;

    const CLEAR: &str = "add a lifecycle rule that deletes old versions (NoncurrentVersionExpiration after \
                         1 day)";

    pub(super) async fn settings(bucket: &S3Bucket) -> (Vec<StoreFinding>, Vec<String>) {
        let (mut findings, mut notes) = (Vec::new(), Vec::new());
        let rules = bucket.lifecycle().await.unwrap_or_else(|error| {
            let action = match bucket.is_express() {
                true => "s3express:GetLifecycleConfiguration",
                false => "s3:GetLifecycleConfiguration",
            };
            notes.push(unread("lifecycle rules", action, &error));
            Vec::new()
        });
        let cleared = rules
            .iter()
            .any(|rule| rule.action == RuleAction::OldVersions);
        match bucket.versioning().await {
            Ok(Versioning::Off) => {}
            Ok(Versioning::Enabled) => findings.push(StoreFinding::new(
                "versioning",
                "versioning is enabled: each commit keeps the head that it replaces, which is billed",
                format!("suspend versioning, and {CLEAR}"),
            )),
            Ok(Versioning::Suspended) if cleared => notes.push(
                "versioning is suspended, and a lifecycle rule deletes old versions".to_owned(),
            ),
            Ok(Versioning::Suspended) => findings.push(StoreFinding::new(
                "versioning",
                "versioning is suspended: objects that were replaced or deleted while it was enabled \
                 still exist and are billed",
                CLEAR,
            )),
            Err(error) => notes.push(unread("versioning", "s3:GetBucketVersioning", &error)),
        }
        for rule in &rules {
            match finding(rule) {
                Some(found) => findings.push(found),
                None => {
                    let name = &rule.name;
                    notes.push(format!("the lifecycle rule {name:?} deletes old versions"));
                }
            }
        }
        (findings, notes)
    }

    fn finding(rule: &Rule) -> Option<StoreFinding> {
        let name = &rule.name;
        let (why, advice) = match &rule.action {
            RuleAction::Expires => (
                format!("the lifecycle rule {name:?} deletes objects of executions by age"),
                "exclude the prefix from the rule: what it deletes is lost".to_owned(),
            ),
            RuleAction::Moves(class) => {
                let means = match class.as_str() {
                    "GLACIER" | "DEEP_ARCHIVE" => "objects cannot be read there",
                    _ => "small objects and reads cost more there",
                };
                (
                    format!("the lifecycle rule {name:?} moves objects to {class}"),
                    format!("exclude the prefix from the rule: {means}"),
                )
            }
            RuleAction::OldVersions => return None,
        };
        Some(StoreFinding::new("lifecycle", why, advice))
    }

    /// A setting that cannot be read is not a finding: workers do not need the permission.
    fn unread(what: &str, action: &str, error: &BucketError) -> String {
        match error.fault {
            Fault::Denied => format!("{what} could not be checked: {action} is missing"),
            Fault::Invalid => format!("the store does not support reading its {what}"),
            Fault::Unavailable | Fault::Throttled | Fault::Full | Fault::Gone => {
                format!("{what} could not be checked: {}", chain(error))
            }
        }
    }
}
