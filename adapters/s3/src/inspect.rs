//! The bucket settings that affect objects independently of our requests: versioning, and deletion
//! or transition by age. Only operator commands read them; the engine never does.

use aws_sdk_s3::types::{BucketVersioningStatus, ExpirationStatus, LifecycleRule};
use millpond::ports::{BucketError, Fault, Verb};

use crate::bucket::S3Bucket;
use crate::fault::{Meaning, meaning};
use crate::reply::Reply;

/// Whether replaced and deleted objects are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Versioning {
    /// Versioning was never enabled.
    Off,
    /// Each write and delete keeps the old version, which is billed.
    Enabled,
    /// Versions that were kept while versioning was enabled still exist.
    Suspended,
}

/// The effect of a lifecycle rule of the bucket on objects below our prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleAction {
    /// Deletes them.
    Expires,
    /// Transitions them to this storage class.
    Moves(String),
    /// Deletes or transitions their noncurrent versions.
    OldVersions,
}

/// One action of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The rule's id; empty if it has none.
    pub name: String,
    /// The action.
    pub action: RuleAction,
}

impl S3Bucket {
    /// Whether it is a directory bucket of Express One Zone, where permissions have other names.
    #[must_use]
    pub const fn is_express(&self) -> bool {
        self.express
    }

    /// Reads whether versioning is enabled. One request, which needs `s3:GetBucketVersioning`; none
    /// on Express One Zone, which has no versions.
    ///
    /// # Errors
    /// `Denied`: the caller lacks the permission. `Invalid`: the store does not support the
    /// request.
    pub async fn versioning(&self) -> Result<Versioning, BucketError> {
        if self.express {
            return Ok(Versioning::Off);
        }
        let watch = self.watch();
        let asked = self.client.get_bucket_versioning().bucket(&self.name);
        let asked = asked.customize().interceptor(watch.clone());
        let sent = async {
            asked
                .send()
                .await
                .map_err(|error| Reply::of(&error, &watch))
        };
        let answer = self.in_time(&watch, sent).await;
        let answer = answer.map_err(|reply| trouble(reply, "?versioning"))?;
        Ok(match answer.status {
            Some(BucketVersioningStatus::Enabled) => Versioning::Enabled,
            Some(BucketVersioningStatus::Suspended) => Versioning::Suspended,
            _ => Versioning::Off,
        })
    }

    /// Reads the effects of the bucket's lifecycle on objects below our prefix. One request, which
    /// needs `s3:GetLifecycleConfiguration`. The result omits rules that are disabled, have another
    /// prefix, or filter by a tag (the engine sets none), and rules that only clean up: incomplete
    /// uploads, delete markers.
    ///
    /// # Errors
    /// `Denied`: the caller lacks the permission. `Invalid`: the store does not support the
    /// request.
    pub async fn lifecycle(&self) -> Result<Vec<Rule>, BucketError> {
        let watch = self.watch();
        let asked = self
            .client
            .get_bucket_lifecycle_configuration()
            .bucket(&self.name);
        let asked = asked.customize().interceptor(watch.clone());
        let sent = async {
            asked
                .send()
                .await
                .map_err(|error| Reply::of(&error, &watch))
        };
        let answer = match self.in_time(&watch, sent).await {
            Ok(answer) => answer,
            // S3 reports the absence of rules by this code.
            Err(Reply::Error(reply)) if reply.code == "NoSuchLifecycleConfiguration" => {
                return Ok(Vec::new());
            }
            Err(reply) => return Err(trouble(reply, "?lifecycle")),
        };
        let rules = answer.rules.unwrap_or_default();
        Ok(rules
            .iter()
            .filter(|rule| touches(rule, &self.root.0))
            .flat_map(deeds)
            .collect())
    }
}

/// The table's fault for a request that reads the bucket's own settings.
fn trouble(reply: Reply, what: &str) -> BucketError {
    let fault = match meaning(Verb::Read, &reply) {
        Meaning::Trouble(fault) => fault,
        Meaning::Refused | Meaning::Absent | Meaning::Conflict | Meaning::Unknown => {
            Fault::Unavailable
        }
    };
    reply.into_error(fault, Verb::Read, what)
}

/// Whether a rule affects objects that we write below `root`.
fn touches(rule: &LifecycleRule, root: &str) -> bool {
    let filter = rule.filter.as_ref();
    let both = filter.and_then(|filter| filter.and.as_ref());
    let tagged = filter.is_some_and(|filter| filter.tag.is_some())
        || both.is_some_and(|both| both.tags.as_ref().is_some_and(|tags| !tags.is_empty()));
    #[expect(deprecated, reason = "old rules have their prefix there")]
    let old = rule.prefix.as_deref();
    let prefix = filter
        .and_then(|filter| filter.prefix.as_deref())
        .or_else(|| both.and_then(|both| both.prefix.as_deref()))
        .or(old)
        .unwrap_or_default();
    rule.status == ExpirationStatus::Enabled
        && !tagged
        && (root.starts_with(prefix) || prefix.starts_with(root))
}

fn deeds(rule: &LifecycleRule) -> Vec<Rule> {
    let mut deeds = Vec::new();
    let expires = rule.expiration.as_ref();
    if expires.is_some_and(|expires| expires.days.is_some() || expires.date.is_some()) {
        deeds.push(RuleAction::Expires);
    }
    for moved in rule.transitions.iter().flatten() {
        let class = moved.storage_class.as_ref();
        let class = class.map_or("another class", |class| class.as_str());
        deeds.push(RuleAction::Moves(class.to_owned()));
    }
    let moved = rule.noncurrent_version_transitions.iter().flatten().count();
    if rule.noncurrent_version_expiration.is_some() || moved > 0 {
        deeds.push(RuleAction::OldVersions);
    }
    let name = rule.id.clone().unwrap_or_default();
    let action = |action| Rule {
        name: name.clone(),
        action,
    };
    deeds.into_iter().map(action).collect()
}
