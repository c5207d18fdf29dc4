//! A port that tells people once when the store stops serving, and once when it is back.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, BucketError, Expect, Fault, Object, Outcome, Page};

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

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;

    /// A bucket that answers reads and writes as the test says.
    #[derive(Debug, Default)]
    struct Moody {
        reading: Mutex<Option<Fault>>,
        writing: Mutex<Option<Fault>>,
    }

    impl Moody {
        fn answer<T>(mood: &Mutex<Option<Fault>>, good: T) -> Result<T, BucketError> {
            match *mood.lock().unwrap() {
                None => Ok(good),
                Some(fault) => Err(BucketError::new(fault, "write", "key").because("a reason")),
            }
        }
    }

    #[async_trait]
    impl Bucket for Moody {
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
        moody: Arc<Moody>,
        port: Reported,
        said: Arc<Mutex<Vec<String>>>,
    }

    fn world() -> World {
        let (moody, said) = (Arc::new(Moody::default()), Arc::new(Mutex::default()));
        let hears: Arc<Mutex<Vec<String>>> = Arc::clone(&said);
        let say = Arc::new(move |text: &str| hears.lock().unwrap().push(text.to_owned()));
        let port = Reported::new(
            Arc::clone(&moody) as Arc<dyn Bucket>,
            "pond".to_owned(),
            say,
        );
        World { moody, port, said }
    }

    impl World {
        /// A worker's life: it looks, and tries to write.
        fn work(&self) {
            let key = Key::parse("key").unwrap();
            for _ in 0..3 {
                let _ = block_on(self.port.list(&Prefix::all(), None, 1));
                let _ = block_on(self.port.write(&key, Bytes::new(), Expect::Absent));
            }
        }

        fn said(&self) -> Vec<String> {
            std::mem::take(&mut self.said.lock().unwrap())
        }
    }

    #[test]
    fn a_store_that_is_well_is_not_talked_about() {
        let world = world();
        world.work();
        assert!(world.said().is_empty());
    }

    #[test]
    fn a_store_that_refuses_or_cannot_write_is_said_once_though_it_can_be_read() {
        for (fault, word) in [
            (Fault::Denied, "refuses to write"),
            (Fault::Full, "is full"),
        ] {
            let world = world();
            *world.moody.writing.lock().unwrap() = Some(fault);
            world.work();
            let said = world.said();
            assert_eq!(said.len(), 1, "{said:?}");
            assert!(
                said[0].contains(word) && said[0].contains("a reason"),
                "{said:?}"
            );
            *world.moody.writing.lock().unwrap() = None;
            world.work();
            assert_eq!(world.said(), ["pond serves again"]);
        }
    }

    #[test]
    fn a_store_that_is_gone_is_said_once_for_both_sides() {
        let world = world();
        *world.moody.reading.lock().unwrap() = Some(Fault::Gone);
        *world.moody.writing.lock().unwrap() = Some(Fault::Gone);
        world.work();
        assert_eq!(world.said().len(), 1);
        *world.moody.reading.lock().unwrap() = None;
        *world.moody.writing.lock().unwrap() = None;
        world.work();
        assert_eq!(world.said(), ["pond serves again"]);
    }

    #[test]
    fn one_request_that_cannot_be_served_is_no_trouble_of_the_store() {
        let world = world();
        *world.moody.writing.lock().unwrap() = Some(Fault::Invalid);
        world.work();
        assert!(world.said().is_empty());
    }
}
