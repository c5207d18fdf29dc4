//! The bucket under test, and the requests that probes make.

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

/// Attempts of a write that receives no reply.
const ATTEMPTS: u32 = 5;

/// The amount of work of the probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    /// Objects of the paging probe. Stores page at 1,000: the default needs three pages.
    pub keys: usize,
    /// Number of racing tasks.
    pub racers: usize,
    /// Number of keys in each race, one after the other.
    pub rounds: usize,
    /// Size of the large body, in bytes.
    pub large: usize,
    /// Number of concurrent requests outside races.
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

/// The required order of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// The order of the keys' bytes.
    Bytes,
    /// An order of the store's choice, the same in each page. Some stores order by folder, and
    /// return `a/1` before `a-b`: no list of the engine depends on which comes first
    /// (docs/protocol.md, Keys), so only a probe whose keys do not mix such depths requires the
    /// order of bytes.
    Own,
}

/// A bucket, and the prefix under which it is tested.
#[derive(Debug, Clone)]
pub struct Subject {
    pub(crate) bucket: Arc<dyn Bucket>,
    prefix: String,
    spawner: Option<Arc<dyn Spawner>>,
    pub(crate) scale: Scale,
}

impl Subject {
    /// Tests `bucket` under `prefix` (a folder: a missing `/` is added), which must be empty.
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

    /// Runs races as tasks of `spawner`, on several threads if it has them; without one the racers
    /// alternate whenever a request waits.
    #[must_use]
    pub fn racing_on(mut self, spawner: Arc<dyn Spawner>) -> Self {
        self.spawner = Some(spawner);
        self
    }

    /// Sets the amount of work.
    #[must_use]
    pub const fn scaled(mut self, scale: Scale) -> Self {
        self.scale = scale;
        self
    }

    /// Deletes all objects under the prefix.
    ///
    /// # Errors
    /// The bucket did not respond, or still lists what it deleted.
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

    /// Writes, and determines the outcome: no probe writes the same body twice.
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

    /// Checks that the object exists with this body, and returns its version.
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

    /// All pages below the subject's prefix and `below`, after `after`, each checked by itself and
    /// against the previous one.
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
            // A later position skips keys that the store omits; an earlier one repeats keys.
            if let (Order::Bytes, Some(last)) = (order, last.or(at))
                && next < last
            {
                return Err(Finding::Position { last, next });
            }
            at = Some(next);
        }
    }

    /// Lists as [`list_all`](Self::list_all), and compares with the expected keys, in order.
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

    /// Compares as `lists` does, but in any order.
    pub(crate) async fn shows(
        &self,
        below: &str,
        limit: usize,
        wanted: &[Key],
    ) -> Result<(), Finding> {
        let listed = self.list_all(below, None, limit, Order::Own).await?;
        are(&listed, wanted)
    }

    /// Runs an operation for each item, a few at a time; returns the first finding.
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

    /// Runs tasks against each other, and returns their findings in the order of the tasks.
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
            // Racers are never aborted; one that is not awaited runs to completion.
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

/// Compares the rows with `wanted`, which is sorted.
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
