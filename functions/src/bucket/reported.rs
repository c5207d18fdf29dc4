//! A door that tells people once when the store stops serving, and once when it is back.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use millpond::doors::{Bucket, BucketError, Expect, Fault, Object, Outcome, Page};
use millpond::keys::{Key, Prefix};

/// Says something to people.
pub(crate) type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// A bucket whose troubles are reported, each once: workers try again for as long as it
/// takes, and a line per try would hide everything else.
pub(crate) struct Reported {
    inner: Arc<dyn Bucket>,
    place: String,
    say: Say,
    /// What is wrong with reading, and with writing: a folder that is read-only is well to
    /// read, and must not be called back by each look for work.
    troubles: Mutex<[Option<Fault>; 2]>,
}

#[derive(Clone, Copy)]
enum Side {
    Reading,
    Writing,
}

impl Reported {
    /// `place` is what people call the bucket.
    pub(crate) fn new(inner: Arc<dyn Bucket>, place: String, say: Say) -> Self {
        Self {
            inner,
            place,
            say,
            troubles: Mutex::default(),
        }
    }

    fn note<T>(&self, side: Side, answer: Result<T, BucketError>) -> Result<T, BucketError> {
        let fault = match &answer {
            Ok(_) => None,
            // One request that cannot be served says nothing about the others.
            Err(error) if error.fault == Fault::Invalid => return answer,
            Err(error) => Some(error.fault),
        };
        let before = {
            let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
            let before = *troubles;
            troubles[side as usize] = fault;
            // What answers a write can be read, and what is gone is gone for both.
            match (side, fault) {
                (Side::Writing, None) => troubles[Side::Reading as usize] = None,
                (_, Some(Fault::Gone)) => *troubles = [fault; 2],
                (Side::Reading, None) if troubles[1] == Some(Fault::Gone) => troubles[1] = None,
                _ => {}
            }
            (before, *troubles)
        };
        match (before, answer.as_ref().err()) {
            ((before, now), Some(error)) if before[side as usize] != now[side as usize] => {
                (self.say)(&self.trouble(error));
            }
            ((before, [None, None]), None) if before != [None, None] => {
                (self.say)(&format!("{} serves again", self.place));
            }
            _ => {}
        }
        answer
    }

    fn trouble(&self, error: &BucketError) -> String {
        let place = &self.place;
        let what = match error.fault {
            Fault::Gone => format!("{place} is gone"),
            Fault::Denied => format!("{place} refuses to {}", error.verb),
            Fault::Full => format!("{place} is full"),
            Fault::Throttled => format!("{place} asks for fewer requests"),
            Fault::Unavailable | Fault::Invalid => format!("{place} does not {}", error.verb),
        };
        let why = error.source.as_ref().map(|s| format!(": {s}"));
        format!(
            "{what}{}; work goes on when it is back",
            why.unwrap_or_default()
        )
    }
}

impl fmt::Debug for Reported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reported").field(&self.inner).finish()
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Bucket for Reported {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        self.note(Side::Reading, self.inner.read(key).await)
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        self.note(Side::Writing, self.inner.write(key, body, expect).await)
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        self.note(Side::Writing, self.inner.delete(key).await)
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        self.note(Side::Reading, self.inner.list(prefix, after, limit).await)
    }
}
