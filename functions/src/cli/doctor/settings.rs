//! Settings of the bucket that cost money or lose data.

use super::super::context::CommandContext;
use super::concern::Concern;
use crate::bucket::Behind;

/// What is set wrong, and what is worth a word. Two requests on S3, none elsewhere.
pub(super) async fn settings(context: &CommandContext) -> (Vec<Concern>, Vec<String>) {
    match &context.behind {
        Behind::Nothing if context.far => {
            let note = "versions and lifecycle rules were not looked at: only S3 is asked for them";
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
    use millpond_s3::{Deed, Rule, S3Bucket, Versioning};

    use super::Concern;

    const CLEAR: &str = "have a lifecycle rule clear old versions away (NoncurrentVersionExpiration \
                         after 1 day)";

    pub(super) async fn settings(bucket: &S3Bucket) -> (Vec<Concern>, Vec<String>) {
        let (mut findings, mut notes) = (Vec::new(), Vec::new());
        let rules = bucket.lifecycle().await.unwrap_or_else(|error| {
            let action = match bucket.is_express() {
                true => "s3express:GetLifecycleConfiguration",
                false => "s3:GetLifecycleConfiguration",
            };
            notes.push(unseen("lifecycle rules", action, &error));
            Vec::new()
        });
        let cleared = rules.iter().any(|rule| rule.deed == Deed::OldVersions);
        match bucket.versioning().await {
            Ok(Versioning::Off) => {}
            Ok(Versioning::Enabled) => findings.push(Concern::new(
                "versioning",
                "versioning is enabled: each commit leaves the head that it replaced behind, and \
                 that is billed",
                format!("suspend it; {CLEAR}"),
            )),
            Ok(Versioning::Suspended) if cleared => notes.push(
                "versioning is suspended, and a lifecycle rule clears old versions away".to_owned(),
            ),
            Ok(Versioning::Suspended) => findings.push(Concern::new(
                "versioning",
                "versioning is suspended: what was replaced or deleted while it was enabled is \
                 still there, and billed",
                CLEAR,
            )),
            Err(error) => notes.push(unseen("versioning", "s3:GetBucketVersioning", &error)),
        }
        for rule in &rules {
            match concern(rule) {
                Some(concern) => findings.push(concern),
                None => {
                    let name = &rule.name;
                    notes.push(format!(
                        "the lifecycle rule {name:?} clears old versions away"
                    ));
                }
            }
        }
        (findings, notes)
    }

    fn concern(rule: &Rule) -> Option<Concern> {
        let name = &rule.name;
        let (why, advice) = match &rule.deed {
            Deed::Expires => (
                format!("the lifecycle rule {name:?} deletes objects of executions by age"),
                "take the pond's prefix out of the rule: what it deletes is lost".to_owned(),
            ),
            Deed::Moves(class) => {
                let means = match class.as_str() {
                    "GLACIER" | "DEEP_ARCHIVE" => "it cannot be read there",
                    _ => "small objects cost more there, and so does each read",
                };
                (
                    format!("the lifecycle rule {name:?} moves objects to {class}"),
                    format!("take the pond's prefix out of the rule: {means}"),
                )
            }
            Deed::OldVersions => return None,
        };
        Some(Concern::new("lifecycle", why, advice))
    }

    /// A look that was not had is no finding: who only runs workers needs no such permission.
    fn unseen(what: &str, action: &str, error: &BucketError) -> String {
        match error.fault {
            Fault::Denied => format!("{what} could not be looked at: {action} is missing"),
            Fault::Invalid => format!("the store does not tell of {what}"),
            Fault::Unavailable | Fault::Throttled | Fault::Full | Fault::Gone => {
                format!("{what} could not be looked at: {}", chain(error))
            }
        }
    }
}
