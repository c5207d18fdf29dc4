//! What the store lets us do, and what it calls that.

use bytes::Bytes;
use millpond::client::chain;
use millpond::keys::Prefix;
use millpond::ports::{BucketError, Expect, Fault};
use millpond_conformance::Finding;

use super::concern::Concern;
use super::exam::Patient;
use crate::bucket::Names;

/// One of the four things that are done with a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Read,
    Write,
    Delete,
    List,
}

/// What a store calls the permission to do it.
pub(super) const fn name(names: Names, verb: Verb) -> &'static str {
    match (names, verb) {
        (Names::Iam, Verb::Read) => "s3:GetObject",
        (Names::Iam, Verb::Write) => "s3:PutObject",
        (Names::Iam, Verb::Delete) => "s3:DeleteObject",
        (Names::Iam, Verb::List) => "s3:ListBucket",
        (Names::Express, _) => "s3express:CreateSession",
        (Names::Verbs, Verb::Read) => "read",
        (Names::Verbs, Verb::Write) => "write",
        (Names::Verbs, Verb::Delete) => "delete",
        (Names::Verbs, Verb::List) => "list",
    }
}

/// Something that we may not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing {
    pub(super) verb: Verb,
    /// What the store said.
    pub(super) why: String,
}

impl Missing {
    pub(super) fn concern(&self, patient: &Patient) -> Concern {
        let name = name(patient.names, self.verb);
        let place = &patient.prefix;
        let advice = match self.verb {
            Verb::Read | Verb::Write => format!("allow {name} on the pond's objects"),
            Verb::Delete => format!("allow {name} on the pond's objects, and delete {place}"),
            Verb::List => format!("allow {name} on the bucket, without a condition on the prefix"),
        };
        Concern::new(
            "permission",
            format!("{name} is missing: {}", self.why),
            advice,
        )
    }
}

/// Tries each verb, and a read of what is not there: five requests.
///
/// S3 answers 403 instead of 404 for what is not there where `s3:ListBucket` is missing. So only
/// the read of an object that is there tells of `s3:GetObject`; where none can be written and
/// lists are denied too, nobody can tell, and it is not named.
pub(super) async fn missing(patient: &Patient) -> Result<Vec<Missing>, Finding> {
    let bucket = &patient.bucket;
    let (here, gone) = (
        patient.key("permissions/here")?,
        patient.key("permissions/gone")?,
    );
    let below = Prefix::parse(&format!("{}permissions/", patient.prefix))?;
    let list = denied(bucket.list(&below, None, 1).await)?;
    let body = Bytes::from_static(b"may I?");
    let write = denied(bucket.write(&here, body, Expect::Absent).await)?;
    let read = denied(bucket.read(&here).await)?;
    let read_gone = denied(bucket.read(&gone).await)?;
    let delete = denied(bucket.delete(&here).await)?;

    let mut missing = Vec::new();
    let unsure = patient.names == Names::Iam && write.is_some() && list.is_some();
    let hidden = read_gone.filter(|_| read.is_none());
    let all = [
        (Verb::Read, read.filter(|_| !unsure)),
        (Verb::Write, write),
        (Verb::Delete, delete),
        (Verb::List, list.or(hidden)),
    ];
    for (verb, why) in all {
        missing.extend(why.map(|why| Missing { verb, why }));
    }
    Ok(missing)
}

/// What the store said, if it was that we may not.
fn denied<T>(answer: Result<T, BucketError>) -> Result<Option<String>, BucketError> {
    match answer {
        Ok(_) => Ok(None),
        Err(error) if error.fault == Fault::Denied => Ok(Some(chain(&error))),
        Err(error) => Err(error),
    }
}
