//! Reads objects of other programs, in any bucket that the same credentials may read.

use bytes::Bytes;
use millpond::ports::{BucketError, Fault, Verb};

use crate::body::{self, Body};
use crate::bucket::S3Bucket;
use crate::fault::{Meaning, meaning};
use crate::reply::Reply;

/// The result of a fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// The whole object.
    Whole(Bytes),
    /// The object does not exist.
    Absent,
    /// The content differs from the requested one.
    Changed,
    /// The object exceeds the limit; it was not read.
    TooLarge {
        /// Its size.
        bytes: u64,
    },
}

/// Which object, and in which state.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The bucket.
    pub bucket: &'a str,
    /// The whole key.
    pub key: &'a str,
    /// The version, in a versioned bucket.
    pub version: Option<&'a str>,
    /// Without a version, the entity tag that the object must still have, without quotes.
    pub etag: Option<&'a str>,
    /// The size limit; a larger object is not read.
    pub most: u64,
}

impl S3Bucket {
    /// Reads an object of any bucket in this bucket's region. One GET.
    ///
    /// # Errors
    /// The store did not reply, or the caller has no permission to read the object.
    pub async fn fetch(&self, wanted: Wanted<'_>) -> Result<Fetched, BucketError> {
        match self.try_fetch(wanted).await {
            Ok(fetched) => Ok(fetched),
            Err(Reply::Error(reply)) if reply.status == 412 => Ok(Fetched::Changed),
            Err(reply) => match meaning(Verb::Read, &reply) {
                Meaning::Absent => Ok(Fetched::Absent),
                Meaning::Trouble(fault) => Err(reply.into_error(fault, Verb::Read, wanted.key)),
                Meaning::Refused | Meaning::Conflict | Meaning::Unknown => {
                    Err(reply.into_error(Fault::Unavailable, Verb::Read, wanted.key))
                }
            },
        }
    }

    async fn try_fetch(&self, wanted: Wanted<'_>) -> Result<Fetched, Reply> {
        let watch = self.watch();
        let etag = wanted.etag.filter(|_| wanted.version.is_none());
        let asked = self
            .client
            .get_object()
            .bucket(wanted.bucket)
            .key(wanted.key)
            .set_version_id(wanted.version.map(str::to_owned))
            .set_if_match(etag.map(|etag| format!("\"{etag}\"")))
            .customize()
            .interceptor(watch.clone());
        let whole = async {
            let sent = asked.send().await;
            let answer = sent.map_err(|error| Reply::of(&error, &watch))?;
            Ok(
                match body::read(answer.body, answer.content_length, wanted.most).await? {
                    Body::Whole(bytes) => Fetched::Whole(bytes),
                    Body::TooLarge { bytes } => Fetched::TooLarge { bytes },
                },
            )
        };
        self.in_time(&watch, whole).await
    }
}
