//! Which permissions the store grants, and how it names them.

use bytes::Bytes;
use millpond::client::chain;
use millpond::keys::Prefix;
use millpond::ports::{BucketError, Expect, Fault, Verb};
use millpond_conformance::Finding;

use super::finding::StoreFinding;
use super::target::Target;
use crate::bucket::Names;

/// The name of the permission for a verb.
pub(super) const fn name(names: Names, verb: Verb) -> &'static str {
    match (names, verb) {
        (Names::Iam, Verb::Read) => "s3:GetObject",
        (Names::Iam, Verb::Create | Verb::Replace) => "s3:PutObject",
        (Names::Iam, Verb::Delete) => "s3:DeleteObject",
        (Names::Iam, Verb::List) => "s3:ListBucket",
        (Names::Express, _) => "s3express:CreateSession",
        (Names::Verbs, Verb::Read) => "read",
        (Names::Verbs, Verb::Create | Verb::Replace) => "write",
        (Names::Verbs, Verb::Delete) => "delete",
        (Names::Verbs, Verb::List) => "list",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing {
    pub(super) verb: Verb,
    /// The answer of the store.
    pub(super) why: String,
}

impl Missing {
    pub(super) fn finding(&self, target: &Target) -> StoreFinding {
        let name = name(target.names, self.verb);
        let prefix = &target.prefix;
        let advice = match self.verb {
            Verb::Read | Verb::Create | Verb::Replace => {
                format!("allow {name} on the objects below the prefix")
            }
            Verb::Delete => {
                format!("allow {name} on the objects below the prefix, and delete {prefix}")
            }
            Verb::List => format!("allow {name} on the bucket, without a condition on the prefix"),
        };
        StoreFinding::new(
            "permission",
            format!("{name} is missing: {}", self.why),
            advice,
        )
    }
}

/// Tries each verb, and a read of a missing object: five requests.
///
/// Without `s3:ListBucket`, S3 answers 403 instead of 404 for a missing object. Therefore only the
/// read of an existing object shows whether `s3:GetObject` is missing. If no object can be written
/// and lists are denied too, this cannot be determined, and the permission is not named.
pub(super) async fn missing(target: &Target) -> Result<Vec<Missing>, Finding> {
    let bucket = &target.bucket;
    let (here, gone) = (
        target.key("permissions/here")?,
        target.key("permissions/gone")?,
    );
    let below = Prefix::parse(&format!("{}permissions/", target.prefix))?;
    let list = denied(bucket.list(&below, None, 1).await)?;
    let body = Bytes::from_static(b"permission check");
    let write = denied(bucket.write(&here, body, Expect::Absent).await)?;
    let read = denied(bucket.read(&here).await)?;
    let read_gone = denied(bucket.read(&gone).await)?;
    let delete = denied(bucket.delete(&here).await)?;

    let mut missing = Vec::new();
    let unsure = target.names == Names::Iam && write.is_some() && list.is_some();
    let hidden = read_gone.filter(|_| read.is_none());
    let all = [
        (Verb::Read, read.filter(|_| !unsure)),
        (Verb::Create, write),
        (Verb::Delete, delete),
        (Verb::List, list.or(hidden)),
    ];
    for (verb, why) in all {
        missing.extend(why.map(|why| Missing { verb, why }));
    }
    Ok(missing)
}

/// The answer of the store, if it denied the request.
fn denied<T>(answer: Result<T, BucketError>) -> Result<Option<String>, BucketError> {
    match answer {
        Ok(_) => Ok(None),
        Err(error) if error.fault == Fault::Denied => Ok(Some(chain(&error))),
        Err(error) => Err(error),
    }
}
