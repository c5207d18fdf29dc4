//! The bucket under test, and how probes ask it.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt as _;
use futures::channel::oneshot;
use futures::future::{BoxFuture, join_all};
use futures::stream;
use millpond::keys::{InvalidKey, Key, Prefix};
use millpond::ports::{Bucket, Expect, Listed, Object, Outcome, Spawner, Version};

use crate::finding::Finding;

/// How often an unanswered write is asked for again.
const ATTEMPTS: u32 = 5;

/// How much the probes ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    /// Objects of the paging probe. Stores page at 1,000: the default needs three pages.
    pub keys: usize,
    /// Tasks that race.
    pub racers: usize,
    /// Keys each race is about, one after the other.
    pub rounds: usize,
    /// Bytes of the large body.
    pub large: usize,
    /// Requests under way at once outside races.
    pub wide: usize,
}

impl Default for Scale {
    fn default() -> Self {
        Self {
            keys: 2_500,
            racers: 64,
            rounds: 8,
            large: 1 << 20,
            wide: 32,
        }
    }
}

/// The order in which a listing must come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Of the keys' bytes.
    Bytes,
    /// Of the store's own making, the same in each page. Some stores order by folder, and show
    /// `a/1` before `a-b`: no list of the engine rests on which comes first (docs/protocol.md,
    /// Keys), so only a probe whose keys do not mix depths like that asks for bytes.
    Own,
}

/// A bucket, and the prefix under which it is asked.
#[derive(Debug, Clone)]
pub struct Subject {
    pub(crate) bucket: Arc<dyn Bucket>,
    prefix: String,
    spawner: Option<Arc<dyn Spawner>>,
    pub(crate) scale: Scale,
}

impl Subject {
    /// Asks `bucket` under `prefix` (a folder: a `/` is added if it lacks), which must be empty.
    #[must_use]
    pub fn new(bucket: Arc<dyn Bucket>, prefix: &str) -> Self {
        let slash = if prefix.is_empty() || prefix.ends_with('/') {
            ""
        } else {
            "/"
        };
        Self {
            bucket,
            prefix: format!("{prefix}{slash}"),
            spawner: None,
            scale: Scale::default(),
        }
    }

    /// Races as tasks of `spawner`, on many threads where it has them; without one the racers
    /// take turns where the bucket lets them wait.
    #[must_use]
    pub fn racing_on(mut self, spawner: Arc<dyn Spawner>) -> Self {
        self.spawner = Some(spawner);
        self
    }

    /// Asks for more or less.
    #[must_use]
    pub const fn scaled(mut self, scale: Scale) -> Self {
        self.scale = scale;
        self
    }

    /// Deletes everything under the prefix.
    ///
    /// # Errors
    /// The bucket could not be asked, or still lists what it deleted.
    pub async fn clear(&self) -> Result<(), Finding> {
        let found = self.list_all("", None, 1_000, Order::Own).await?;
        self.each(found, |listed| async move {
            Ok(self.bucket.delete(&listed.key).await?)
        })
        .await?;
        match self
            .list_all("", None, 1_000, Order::Own)
            .await?
            .into_iter()
            .next()
        {
            None => Ok(()),
            Some(left) => Err(Finding::Stranger { key: left.key }),
        }
    }

    pub(crate) fn key(&self, name: &str) -> Result<Key, InvalidKey> {
        Key::parse(&format!("{}{name}", self.prefix))
    }

    /// Bytes left for a name below the prefix.
    pub(crate) fn room(&self) -> usize {
        millpond::keys::MAX_KEY.saturating_sub(self.prefix.len())
    }

    pub(crate) async fn read(&self, key: &Key) -> Result<Option<Object>, Finding> {
        Ok(self.bucket.read(key).await?)
    }

    /// Writes, and finds out what became of it: no probe's body is ever written twice.
    pub(crate) async fn write(
        &self,
        key: &Key,
        body: &Bytes,
        expect: &Expect,
    ) -> Result<Outcome, Finding> {
        for _ in 0..ATTEMPTS {
            let outcome = self.bucket.write(key, body.clone(), expect.clone()).await?;
            if outcome != Outcome::Unknown {
                return Ok(outcome);
            }
            match (self.read(key).await?, expect) {
                (Some(found), _) if found.body == *body => {
                    return Ok(Outcome::Landed(found.version));
                }
                (Some(found), Expect::At(version)) if found.version == *version => {}
                (None, Expect::Absent) => {}
                _ => return Ok(Outcome::Refused),
            }
        }
        Err(Finding::Undecided { key: key.clone() })
    }

    pub(crate) async fn lands(
        &self,
        key: &Key,
        body: &Bytes,
        expect: &Expect,
    ) -> Result<Version, Finding> {
        match self.write(key, body, expect).await? {
            Outcome::Landed(version) => Ok(version),
            got @ (Outcome::Refused | Outcome::Unknown) => Err(Finding::Ended {
                key: key.clone(),
                wanted: "landed",
                got,
            }),
        }
    }

    pub(crate) async fn is_refused(
        &self,
        key: &Key,
        body: &Bytes,
        expect: &Expect,
    ) -> Result<(), Finding> {
        match self.write(key, body, expect).await? {
            Outcome::Refused => Ok(()),
            got @ (Outcome::Landed(_) | Outcome::Unknown) => Err(Finding::Ended {
                key: key.clone(),
                wanted: "refused",
                got,
            }),
        }
    }

    /// The object is there with this body; its version.
    pub(crate) async fn holds(&self, key: &Key, body: &Bytes) -> Result<Version, Finding> {
        match self.read(key).await? {
            Some(object) if object.body == *body => Ok(object.version),
            found => Err(Finding::Body {
                key: key.clone(),
                wanted: body.len(),
                got: found.map(|object| object.body.len()),
            }),
        }
    }

    pub(crate) async fn is_absent(&self, key: &Key) -> Result<(), Finding> {
        match self.read(key).await? {
            None => Ok(()),
            Some(_) => Err(Finding::Present { key: key.clone() }),
        }
    }

    /// All pages below the subject's prefix and `below`, after `after`, each checked by itself
    /// and against the one before.
    pub(crate) async fn list_all(
        &self,
        below: &str,
        after: Option<&Key>,
        limit: usize,
        order: Order,
    ) -> Result<Vec<Listed>, Finding> {
        let mut seen = BTreeSet::new();
        let prefix = Prefix::parse(&format!("{}{below}", self.prefix))?;
        let (mut listed, mut at): (Vec<Listed>, _) = (Vec::new(), after.cloned());
        loop {
            let from = at.as_ref();
            let page = self.bucket.list(&prefix, from, limit).await?;
            if page.entries.len() > limit {
                let got = page.entries.len();
                return Err(Finding::Overfull { limit, got });
            }
            let mut first = from.cloned();
            for entry in &page.entries {
                let second = entry.key.clone();
                if !second.is_under(&prefix) {
                    return Err(Finding::Stranger { key: second });
                }
                let wrong = match order {
                    Order::Bytes => first.filter(|first| *first >= second),
                    Order::Own => seen.contains(&second).then(|| second.clone()),
                };
                if let Some(first) = wrong {
                    return Err(Finding::Disorder { first, second });
                }
                seen.insert(second.clone());
                first = Some(second);
            }
            let last = page.entries.last().map(|entry| entry.key.clone());
            listed.extend(page.entries);
            let Some(next) = page.next else {
                return Ok(listed);
            };
            if at.as_ref() == Some(&next) {
                let prefix = prefix.to_string();
                return Err(Finding::Stuck { prefix });
            }
            // A later position passes over keys that the store leaves out; an earlier one repeats.
            if let (Order::Bytes, Some(last)) = (order, last.or(at))
                && next < last
            {
                return Err(Finding::Position { last, next });
            }
            at = Some(next);
        }
    }

    /// Lists as [`list_all`](Self::list_all) and compares with what must come, in order.
    pub(crate) async fn lists(
        &self,
        below: &str,
        after: Option<&Key>,
        limit: usize,
        wanted: &[Key],
    ) -> Result<(), Finding> {
        let listed = self.list_all(below, after, limit, Order::Bytes).await?;
        are(&listed, wanted)
    }

    /// The same in whatever order.
    pub(crate) async fn shows(
        &self,
        below: &str,
        limit: usize,
        wanted: &[Key],
    ) -> Result<(), Finding> {
        let listed = self.list_all(below, None, limit, Order::Own).await?;
        are(&listed, wanted)
    }

    /// Does something for each of many, a few at a time; the first finding.
    pub(crate) async fn each<T, F>(
        &self,
        many: impl IntoIterator<Item = T>,
        one: impl Fn(T) -> F,
    ) -> Result<(), Finding>
    where
        F: Future<Output = Result<(), Finding>>,
    {
        let mut done = stream::iter(many)
            .map(one)
            .buffer_unordered(self.scale.wide.max(1));
        while let Some(outcome) = done.next().await {
            outcome?;
        }
        Ok(())
    }

    /// Runs tasks against each other; what each found, in their order.
    pub(crate) async fn race<T: Send + 'static>(
        &self,
        tasks: Vec<BoxFuture<'static, Result<T, Finding>>>,
    ) -> Result<Vec<T>, Finding> {
        let Some(spawner) = &self.spawner else {
            return join_all(tasks).await.into_iter().collect();
        };
        let mut ends = Vec::new();
        for task in tasks {
            let (end, ended) = oneshot::channel();
            // Nobody aborts a racer; one whose end nobody awaits runs out by itself.
            let _abort = spawner.spawn(Box::pin(async move {
                let _ = end.send(task.await);
            }));
            ends.push(ended);
        }
        let ended = join_all(ends).await.into_iter();
        ended
            .map(|end| end.unwrap_or(Err(Finding::Dropped)))
            .collect()
    }
}

/// The rows are those of `wanted`, which is sorted.
fn are(listed: &[Listed], wanted: &[Key]) -> Result<(), Finding> {
    let shown: BTreeSet<_> = listed.iter().map(|listed| &listed.key).collect();
    if let Some(key) = wanted.iter().find(|key| !shown.contains(key)) {
        return Err(Finding::Missing { key: key.clone() });
    }
    match shown
        .into_iter()
        .find(|key| wanted.binary_search(key).is_err())
    {
        None => Ok(()),
        Some(key) => Err(Finding::Stranger { key: key.clone() }),
    }
}
