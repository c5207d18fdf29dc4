//! Lists keys in the order of their bytes.
//!
//! A page is one request (`ListObjectsV2`, at most 1,000 keys). A page that contains only names
//! that the engine cannot have written (a folder's marker, an object of another program) is
//! skipped, at the cost of one more request: such a name cannot serve as the position to continue
//! from.
//!
//! **Express One Zone** lists in no order, always starts at the beginning, and accepts only
//! prefixes that end in `/`. The adapter therefore lists the whole folder, 1 request per 1,000
//! keys, and keeps the first keys after the requested one: memory stays at one page, and the cost
//! grows with the folder. A listing of `n` pages costs `n` times its requests. The mailboxes and
//! due timers that workers list are short; `list` and `doctor` are expensive on a large Express
//! bucket.

use std::collections::BTreeMap;

use aws_sdk_s3::types::Object;
use jiff::Timestamp;
use millpond::keys::{Key, Prefix};
use millpond::ports::{BucketError, Fault, Listed, Page, Verb};

use crate::bucket::S3Bucket;
use crate::fault::{Meaning, meaning};
use crate::reply::Reply;

/// The largest page size of a store.
const LARGEST: usize = 1_000;

/// Where a page starts.
#[derive(Debug, Clone)]
enum From {
    Start,
    After(String),
    Token(String),
}

/// A page as the store returns it.
struct Raw {
    objects: Vec<Object>,
    /// Where the next page starts.
    next: Option<String>,
}

impl S3Bucket {
    pub(crate) async fn page(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        let found = if self.express {
            self.unordered(prefix, after, limit).await
        } else {
            self.ordered(prefix, after, limit).await
        };
        found.map_err(|reply| match meaning(Verb::List, &reply) {
            Meaning::Trouble(fault) => reply.into_error(fault, Verb::List, prefix),
            Meaning::Refused | Meaning::Absent | Meaning::Conflict | Meaning::Unknown => {
                reply.into_error(Fault::Unavailable, Verb::List, prefix)
            }
        })
    }

    async fn ordered(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, Reply> {
        let below = self.root.prefix(prefix);
        let mut from = match after {
            Some(key) => From::After(self.root.key(key)),
            None => From::Start,
        };
        loop {
            let raw = self.ask(&below, from, limit.clamp(1, LARGEST)).await?;
            let mut entries = Vec::with_capacity(raw.objects.len());
            for object in &raw.objects {
                entries.extend(self.listed(object)?);
            }
            let cut = entries.len() > limit;
            entries.truncate(limit);
            match raw.next {
                Some(next) if entries.is_empty() && !cut => from = From::Token(next),
                next => return Ok(Page::new(entries, cut || next.is_some())),
            }
        }
    }

    async fn unordered(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, Reply> {
        let below = self.root.prefix(prefix);
        let folder = below.rsplit_once('/').map(|(above, _)| format!("{above}/"));
        let folder = folder.unwrap_or_default();
        let mut first: BTreeMap<Key, Listed> = BTreeMap::new();
        let (mut more, mut from) = (false, From::Start);
        loop {
            let raw = self.ask(&folder, from, LARGEST).await?;
            for object in &raw.objects {
                let Some(listed) = self.listed(object)? else {
                    continue;
                };
                if listed.key.is_under(prefix) && after.is_none_or(|after| listed.key > *after) {
                    first.insert(listed.key.clone(), listed);
                }
                if first.len() > limit {
                    first.pop_last();
                    more = true;
                }
            }
            match raw.next {
                Some(next) => from = From::Token(next),
                None => break,
            }
        }
        Ok(Page::new(first.into_values().collect(), more))
    }

    /// Lists one page. One request.
    async fn ask(&self, below: &str, from: From, most: usize) -> Result<Raw, Reply> {
        let watch = self.watch();
        let asked = self
            .client
            .list_objects_v2()
            .bucket(&self.name)
            .set_prefix((!below.is_empty()).then(|| below.to_owned()))
            .max_keys(i32::try_from(most).unwrap_or(i32::MAX));
        let asked = match from {
            From::Start => asked,
            From::After(key) => asked.start_after(key),
            From::Token(token) => asked.continuation_token(token),
        };
        let asked = asked.customize().interceptor(watch.clone());
        let sent = async {
            asked
                .send()
                .await
                .map_err(|error| Reply::of(&error, &watch))
        };
        let answer = self.in_time(&watch, sent).await?;
        let next = match (answer.is_truncated, answer.next_continuation_token) {
            (Some(true), Some(token)) => Some(token),
            (Some(true), None) => {
                let why = "a page is truncated, and has no continuation token";
                return Err(Reply::Lost(why.to_owned()));
            }
            _ => None,
        };
        Ok(Raw {
            objects: answer.contents.unwrap_or_default(),
            next,
        })
    }

    /// A row as the port returns it; `None` for a name that the engine cannot have written.
    fn listed(&self, object: &Object) -> Result<Option<Listed>, Reply> {
        let Some(key) = object.key().and_then(|name| self.root.strip(name)) else {
            return Ok(None);
        };
        let modified = object.last_modified().and_then(|at| {
            let nanos = i32::try_from(at.subsec_nanos()).ok()?;
            Timestamp::new(at.secs(), nanos).ok()
        });
        let size = object.size().and_then(|size| u64::try_from(size).ok());
        match (modified, size) {
            (Some(modified), Some(size)) => Ok(Some(Listed {
                key,
                modified,
                size,
            })),
            _ => Err(Reply::Lost(format!(
                "a row without a date or a size: key={key}"
            ))),
        }
    }
}
