//! A bucket that reports an outage of the store once, and its recovery once.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, BucketError, Expect, Fault, Object, Outcome, Page};

/// Prints a line for the operator.
pub(crate) type Report = Arc<dyn Fn(&str) + Send + Sync>;

/// A bucket whose outages are reported once each: workers retry until the store recovers, and a line
/// per retry would hide everything else.
pub(crate) struct Reported {
    inner: Arc<dyn Bucket>,
    url: String,
    report: Report,
    /// The current fault of reads, and of writes. They are separate because a read-only store still
    /// serves reads: a poll must not end the outage.
    outages: Mutex<[Option<Fault>; 2]>,
}

#[derive(Clone, Copy)]
enum Side {
    Reading,
    Writing,
}

impl Reported {
    /// `url` names the bucket in reports.
    pub(crate) fn new(inner: Arc<dyn Bucket>, url: String, report: Report) -> Self {
        Self {
            inner,
            url,
            report,
            outages: Mutex::default(),
        }
    }

    fn note<T>(&self, side: Side, answer: Result<T, BucketError>) -> Result<T, BucketError> {
        let fault = match &answer {
            Ok(_) => None,
            // An invalid request is not an outage.
            Err(error) if error.fault == Fault::Invalid => return answer,
            Err(error) => Some(error.fault),
        };
        let before = {
            let mut outages = self.outages.lock().unwrap_or_else(PoisonError::into_inner);
            let before = *outages;
            outages[side as usize] = fault;
            // A store that accepts writes also serves reads, and a missing store fails both.
            match (side, fault) {
                (Side::Writing, None) => outages[Side::Reading as usize] = None,
                (_, Some(Fault::Gone)) => *outages = [fault; 2],
                (Side::Reading, None) if outages[1] == Some(Fault::Gone) => outages[1] = None,
                _ => {}
            }
            (before, *outages)
        };
        match (before, answer.as_ref().err()) {
            ((before, now), Some(error)) if before[side as usize] != now[side as usize] => {
                (self.report)(&self.outage(error));
            }
            ((before, [None, None]), None) if before != [None, None] => {
                (self.report)(&format!(
                    "the store is available again: bucket={}",
                    self.url
                ));
            }
            _ => {}
        }
        answer
    }

    fn outage(&self, error: &BucketError) -> String {
        let verb = error.verb;
        let what = match error.fault {
            Fault::Gone => "the store is gone".to_owned(),
            Fault::Denied => format!("the store denies the request to {verb}"),
            Fault::Full => "the store is full".to_owned(),
            Fault::Throttled => "the store throttles requests".to_owned(),
            Fault::Unavailable | Fault::Invalid => format!("the store fails to {verb}"),
        };
        let why = error.source.as_ref().map(|source| format!(": {source}"));
        let why = why.unwrap_or_default();
        format!(
            "{what}{why}; work continues when it recovers: bucket={}",
            self.url
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

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use millpond::ports::Verb;

    use super::*;

    /// A bucket whose reads and writes return what the test specifies.
    #[derive(Debug, Default)]
    struct Flaky {
        reading: Mutex<Option<Fault>>,
        writing: Mutex<Option<Fault>>,
    }

    impl Flaky {
        fn answer<T>(state: &Mutex<Option<Fault>>, good: T) -> Result<T, BucketError> {
            match *state.lock().unwrap() {
                None => Ok(good),
                Some(fault) => {
                    Err(BucketError::new(fault, Verb::Replace, "key").because("a reason"))
                }
            }
        }
    }

    #[async_trait]
    impl Bucket for Flaky {
        async fn read(&self, _: &Key) -> Result<Option<Object>, BucketError> {
            Self::answer(&self.reading, None)
        }

        async fn write(&self, _: &Key, _: Bytes, _: Expect) -> Result<Outcome, BucketError> {
            Self::answer(&self.writing, Outcome::Refused)
        }

        async fn delete(&self, _: &Key) -> Result<(), BucketError> {
            Self::answer(&self.writing, ())
        }

        async fn list(&self, _: &Prefix, _: Option<&Key>, _: usize) -> Result<Page, BucketError> {
            Self::answer(&self.reading, Page::default())
        }
    }

    struct World {
        flaky: Arc<Flaky>,
        reported: Reported,
        reports: Arc<Mutex<Vec<String>>>,
    }

    fn world() -> World {
        let (flaky, reports) = (Arc::new(Flaky::default()), Arc::new(Mutex::default()));
        let lines: Arc<Mutex<Vec<String>>> = Arc::clone(&reports);
        let report = Arc::new(move |text: &str| lines.lock().unwrap().push(text.to_owned()));
        let reported = Reported::new(
            Arc::clone(&flaky) as Arc<dyn Bucket>,
            "pond".to_owned(),
            report,
        );
        World {
            flaky,
            reported,
            reports,
        }
    }

    impl World {
        /// Works like a worker: polls, and tries to write.
        fn work(&self) {
            let key = Key::parse("key").unwrap();
            for _ in 0..3 {
                let _ = block_on(self.reported.list(&Prefix::all(), None, 1));
                let _ = block_on(self.reported.write(&key, Bytes::new(), Expect::Absent));
            }
        }

        fn reports(&self) -> Vec<String> {
            std::mem::take(&mut self.reports.lock().unwrap())
        }
    }

    #[test]
    fn an_available_store_is_not_reported() {
        let world = world();
        world.work();
        assert!(world.reports().is_empty());
    }

    #[test]
    fn a_store_that_denies_writes_is_reported_once_although_it_serves_reads() {
        for (fault, word) in [
            (Fault::Denied, "denies the request to replace"),
            (Fault::Full, "is full"),
        ] {
            let world = world();
            *world.flaky.writing.lock().unwrap() = Some(fault);
            world.work();
            let reports = world.reports();
            assert_eq!(reports.len(), 1, "{reports:?}");
            assert!(
                reports[0].contains(word) && reports[0].contains("a reason"),
                "{reports:?}"
            );
            *world.flaky.writing.lock().unwrap() = None;
            world.work();
            assert_eq!(
                world.reports(),
                ["the store is available again: bucket=pond"]
            );
        }
    }

    #[test]
    fn a_missing_store_is_reported_once_for_reads_and_writes() {
        let world = world();
        *world.flaky.reading.lock().unwrap() = Some(Fault::Gone);
        *world.flaky.writing.lock().unwrap() = Some(Fault::Gone);
        world.work();
        assert_eq!(world.reports().len(), 1);
        *world.flaky.reading.lock().unwrap() = None;
        *world.flaky.writing.lock().unwrap() = None;
        world.work();
        assert_eq!(
            world.reports(),
            ["the store is available again: bucket=pond"]
        );
    }

    #[test]
    fn an_invalid_request_is_not_an_outage() {
        let world = world();
        *world.flaky.writing.lock().unwrap() = Some(Fault::Invalid);
        world.work();
        assert!(world.reports().is_empty());
    }
}
