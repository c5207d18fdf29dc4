//! Mail and timers that no worker has served for a while, and why.
//!
//! Workers do not register in the bucket. What they do is in the feed, so the feed shows which
//! queues and which versions of workflows were served lately.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::{StreamExt, stream};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::{Engine, EngineError};
use crate::domain::{Body, ExecutionId, MessageId, Queue, Status, Workflow};
use crate::feed;
use crate::journal::Journal;
use crate::keys::{self, Key, MailKey, Prefix};
use crate::mailbox::{self, Slot};
use crate::ports::BucketError;
use crate::stored::LoadError;
use crate::timers;

/// The newest feed objects that are read for the reasons.
const MAX_FEED: usize = 200;
/// Keys in a page.
const PAGE: usize = 1_000;

/// An execution with mail, or with a timer that is due, that no worker has served for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unserved {
    /// The execution.
    pub eid: ExecutionId,
    /// Its queue.
    pub queue: Queue,
    /// Its type and version; `None` if neither its head nor its start can be read.
    pub workflow: Option<(Workflow, String)>,
    /// Since when its oldest cause waits.
    pub since: Timestamp,
    /// Number of its causes that wait.
    pub causes: usize,
    /// The reason.
    pub why: WhyUnserved,
}

/// Why nothing serves an execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WhyUnserved {
    /// No execution of its queue has changed in that time: no worker serves the queue.
    Queue,
    /// Its queue is served, but no execution of its version has changed in that time: no worker of
    /// the queue has this version.
    Version,
    /// A worker has leased the execution until this instant.
    Leased(Timestamp),
    /// Its queue and its version are served: its runs fail, or the workers are behind.
    Behind,
}

impl Unserved {
    /// Returns the reason as text, for people.
    #[must_use]
    pub fn reason(&self) -> String {
        match (&self.why, &self.workflow) {
            (WhyUnserved::Queue, _) => format!("no worker serves the queue {}", self.queue),
            (WhyUnserved::Version, Some((workflow, version))) => {
                format!("no worker has {workflow}@{version}")
            }
            (WhyUnserved::Version, None) => "no worker has its workflow".to_owned(),
            (WhyUnserved::Leased(until), _) => format!("it is leased until {until}"),
            (WhyUnserved::Behind, _) => "its runs fail, or the workers are behind".to_owned(),
        }
    }
}

/// The causes of one execution that wait.
struct Waiting {
    queue: Queue,
    since: Timestamp,
    causes: usize,
    /// Its `start`, if that waits.
    start: Option<Slot>,
}

/// The queues and versions of the executions that have changed lately.
#[derive(Default)]
struct Served {
    queues: BTreeSet<Queue>,
    versions: BTreeSet<(Workflow, String)>,
}

impl Engine {
    /// Returns the executions with mail, or with timers that are due, of an age over `age`, oldest
    /// first. 1 P for each 1,000 mails and for each 1,000 due timers. If there are any: 1 G for each
    /// of them, 1 P for each 1,000 feed objects of that time, and at most 200 G.
    ///
    /// # Errors
    /// The store failed.
    pub async fn unserved(&self, age: Duration) -> Result<Vec<Unserved>, EngineError> {
        let now = self.core.ports.clock.now();
        let age = SignedDuration::try_from(age).unwrap_or(SignedDuration::MAX);
        let before = now.checked_sub(age).unwrap_or(Timestamp::MIN);
        let waiting = self.waiting_since(before).await?;
        if waiting.is_empty() {
            return Ok(Vec::new());
        }
        let served = self.served_since(before, now).await?;
        let concurrency = self.core.settings.concurrency.max(1);
        let looks: Vec<_> = stream::iter(waiting)
            .map(|(eid, waiting)| self.look_at(eid, waiting, &served, now))
            .buffered(concurrency)
            .collect()
            .await;
        let mut unserved = Vec::new();
        for look in looks {
            unserved.extend(look?);
        }
        unserved.sort_by_key(|one: &Unserved| (one.since, one.eid));
        Ok(unserved)
    }

    async fn waiting_since(
        &self,
        before: Timestamp,
    ) -> Result<BTreeMap<ExecutionId, Waiting>, BucketError> {
        let ports = &self.core.ports;
        let mut all: BTreeMap<ExecutionId, Waiting> = BTreeMap::new();
        let mut add = |eid, queue, since, start: Option<Slot>| {
            let waiting = all.entry(eid).or_insert(Waiting {
                queue,
                since,
                causes: 0,
                start: None,
            });
            waiting.since = waiting.since.min(since);
            waiting.causes += 1;
            waiting.start = waiting.start.take().or(start);
        };
        let mail = Prefix::parse(keys::MAIL).expect("a constant of the key layout");
        for row in ports.list(&mail).await? {
            let Some(found) = MailKey::parse(&row.key).filter(|_| row.modified < before) else {
                continue;
            };
            let start = (found.mid == MessageId::start()).then_some(Slot {
                key: row.key,
                mid: found.mid,
                modified: row.modified,
            });
            add(found.eid, found.queue, row.modified, start);
        }
        let mut after = None;
        loop {
            let due = timers::due(ports, before, after.as_ref(), PAGE).await?;
            for (_, timer) in due.now {
                add(timer.eid, timer.queue, timer.due, None);
            }
            after = due.rest;
            if after.is_none() {
                return Ok(all);
            }
        }
    }

    async fn served_since(&self, since: Timestamp, now: Timestamp) -> Result<Served, EngineError> {
        let ports = &self.core.ports;
        // A text that sorts after all earlier keys is well-formed, too.
        let after = Key::parse(&keys::feed_before(since)).ok();
        let objects = feed::events(ports, None, after.as_ref()).await?;
        let newest: Vec<Key> = objects
            .into_iter()
            .rev()
            .filter(|(_, record)| record.at <= now)
            .take(MAX_FEED)
            .map(|(key, _)| key)
            .collect();
        let mut served = Served::default();
        for record in feed::read(ports, &newest, self.core.settings.concurrency).await? {
            // Retention writes for executions that no worker runs any more.
            if record.status != Status::Archived {
                served.queues.insert(record.queue);
                served.versions.insert((record.workflow, record.version));
            }
        }
        Ok(served)
    }

    /// Reads the head, or the start if there is none. An execution that has ended needs no worker.
    async fn look_at(
        &self,
        eid: ExecutionId,
        waiting: Waiting,
        served: &Served,
        now: Timestamp,
    ) -> Result<Option<Unserved>, EngineError> {
        let head = match Journal::load(&self.core.ports, &eid).await {
            Ok(journal) => journal.map(|journal| journal.head),
            Err(LoadError::Bucket(error)) => return Err(error.into()),
            Err(_) => None, // `audit` reports it
        };
        if head.as_ref().is_some_and(|head| head.status.is_terminal()) {
            return Ok(None);
        }
        let lease = head.as_ref().and_then(|head| head.lease.as_ref());
        let leased = lease.map(|lease| lease.until).filter(|until| *until > now);
        let record = head.map(|head| head.record);
        let record = match (record, waiting.start) {
            (None, Some(start)) => {
                let mail = mailbox::fetch(&self.core.ports, &[start], 1).await?;
                mail.into_iter().find_map(|mail| match mail.body {
                    Body::Start(record) => record.map(|record| *record),
                    _ => None,
                })
            }
            (record, _) => record,
        };
        // Its start waits for this instant.
        if record.as_ref().and_then(|record| record.start_at) > Some(now) {
            return Ok(None);
        }
        let workflow = record.map(|record| (record.workflow, record.version));
        let why = match (leased, &workflow) {
            (Some(until), _) => WhyUnserved::Leased(until),
            _ if !served.queues.contains(&waiting.queue) => WhyUnserved::Queue,
            (None, Some(version)) if !served.versions.contains(version) => WhyUnserved::Version,
            (None, _) => WhyUnserved::Behind,
        };
        Ok(Some(Unserved {
            eid,
            queue: waiting.queue,
            workflow,
            since: waiting.since,
            causes: waiting.causes,
            why,
        }))
    }
}
