//! The engine's own state: objects that it writes trigger no rule.

use std::fmt;

use serde_json::Value;

use super::pattern::{Known, Pattern};

/// The prefixes of the engine's keys, if its state is at the root of a bucket.
const ROOTS: [&str; 13] = [
    "x/",
    "mail/",
    "timers/",
    "tasks/",
    "topics/",
    "feed/",
    "archive/",
    "archive-blob/",
    "leases/",
    "claims/",
    "config/",
    "cursors/",
    "doctor/",
];

/// The bucket and prefix where the engine's state is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Own {
    bucket: String,
    /// Empty, or ends with `/`.
    prefix: String,
}

impl Own {
    /// The state at `prefix` of `bucket`, as in `s3://bucket/prefix`.
    pub fn new(bucket: impl Into<String>, prefix: &str) -> Self {
        let prefix = prefix.trim_matches('/');
        Self {
            bucket: bucket.into(),
            prefix: match prefix {
                "" => String::new(),
                prefix => format!("{prefix}/"),
            },
        }
    }

    fn beginnings(&self) -> Vec<String> {
        // At the root, the bucket has other objects beside the engine's.
        match self.prefix.as_str() {
            "" => ROOTS.iter().map(ToString::to_string).collect(),
            prefix => vec![prefix.to_owned()],
        }
    }

    /// Whether this object belongs to the engine.
    #[must_use]
    pub fn contains(&self, bucket: &str, key: &str) -> bool {
        let mut all = self.beginnings().into_iter();
        bucket == self.bucket && all.any(|beginning| key.starts_with(&beginning))
    }

    /// Whether an event reports a change of an object of the engine: S3's own events, and those
    /// that CloudTrail creates from requests.
    #[must_use]
    pub fn concerns(&self, event: &Value) -> bool {
        let text = |path: &str| event.pointer(path).and_then(Value::as_str);
        let fields = [
            ("/detail/bucket/name", "/detail/object/key"),
            (
                "/detail/requestParameters/bucketName",
                "/detail/requestParameters/key",
            ),
        ];
        fields.into_iter().any(|(bucket, key)| {
            let both = text(bucket).zip(text(key));
            both.is_some_and(|(bucket, key)| self.contains(bucket, key))
        })
    }

    /// Whether an event about an object of the engine could match all of these patterns.
    pub(crate) fn could_match(&self, patterns: &[Pattern]) -> bool {
        let known = |path: &str| match path {
            "source" => Known::Is("aws.s3".to_owned()),
            "detail.bucket.name" | "detail.requestParameters.bucketName" => {
                Known::Is(self.bucket.clone())
            }
            "detail.object.key" | "detail.requestParameters.key" => Known::Under(self.beginnings()),
            _ => Known::Free,
        };
        patterns.iter().all(|pattern| pattern.could_match(&known))
    }
}

impl fmt::Display for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s3://{}/{}", self.bucket, self.prefix)
    }
}
