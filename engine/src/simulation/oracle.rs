//! The oracle: the invariants by number (docs/protocol.md, What holds).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use futures::FutureExt as _;

use super::chronicle::{Effect, Written};
use super::story::{Stories, Story};
use super::{replayed, sent};
use crate::client::Engine;
use crate::domain::{Body, Entry, ExecutionId, FrameId, MessageId, Payload, Status};
use crate::journal::Journal;
use crate::stored;

/// The maximum size of a head in bytes.
const HEAD: usize = 96 << 10;

/// An invariant that does not hold.
#[derive(Debug, Clone)]
pub(super) struct Broken {
    pub(super) invariant: &'static str,
    pub(super) what: String,
}

impl Broken {
    pub(super) fn new(invariant: &'static str, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { invariant, what }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.invariant, self.what)
    }
}

/// Returns `what` as an error if the invariant does not hold.
pub(super) fn must(
    invariant: &'static str,
    holds: bool,
    what: impl FnOnce() -> String,
) -> Result<(), Broken> {
    if holds {
        return Ok(());
    }
    Err(Broken::new(invariant, what()))
}

/// The result of a future on a bucket in memory, which completes at once.
pub(super) fn at_once<T>(future: impl Future<Output = T>) -> T {
    let given = future.now_or_never();
    given.expect("a bucket in memory answers at once")
}

/// Checks the state in which all processes rest, before further external input: nothing is lost,
/// and no execution sleeps forever.
pub(super) fn at_rest(
    observer: &Engine,
    stories: &Stories,
    written: &Written,
) -> Result<(), Broken> {
    let audit = at_once(observer.audit()).map_err(|error| Broken::new("I4", error.to_string()))?;
    must("I4", audit.findings.is_empty(), || {
        format!("{:?}", audit.findings)
    })?;
    for (eid, story) in &stories.all {
        must("I4", story.last().status != Status::Blocked, || {
            let why = story
                .entries()
                .filter(|entry| matches!(entry, Entry::Blocked(_)));
            format!("{eid} is blocked: {:?}", why.collect::<Vec<_>>())
        })?;
    }
    let open: BTreeSet<ExecutionId> = stories.open().collect();
    let created = stories.mails.keys();
    let reported = created.chain(&written.acknowledged);
    let most = observer.core().settings.max_unread;
    for (eid, mid) in reported.filter(|(eid, _)| open.contains(eid)) {
        let story = &stories.all[eid];
        let begun = *mid == MessageId::start() && story.last().entries > 0;
        let sent = stories.mails.get(&(*eid, mid.clone()));
        // An execution that has failed takes no messages, also if it is retried later.
        let over = sent.is_some_and(|(place, _)| story.had_ended_since(*place));
        let left = begun || over || !story.last().takes(mid, most);
        must("I3", left || story.mids().contains(mid), || {
            format!("{mid} was sent to {eid} and never absorbed")
        })?;
    }
    Ok(())
}

/// Checks the state after all executions have ended.
pub(super) fn at_the_end(
    observer: &Engine,
    stories: &Stories,
    written: &Written,
) -> Result<(), Broken> {
    for (eid, story) in &stories.all {
        let last = story.last();
        must("I4", last.status.is_terminal(), || {
            format!("{eid} was asked to stop and is {}", last.status)
        })?;
        story.check()?;
        story.unread(observer.core().settings.max_unread)?;
        stored(observer, *eid, story)?;
        let most = story.heads.iter().map(|seen| seen.bytes).max();
        must("I2", most.unwrap_or(0) <= HEAD, || {
            format!("{eid}: a head of {most:?} bytes")
        })?;
        replayed::check(observer, *eid, story)?;
        children(stories, *eid, story, observer.core().settings.mailbox_page)?;
    }
    effects(stories, written, observer.core().settings.ttl)?;
    sent::check(stories)
}

/// I2: the final content of the bucket is the committed content.
fn stored(observer: &Engine, eid: ExecutionId, story: &Story) -> Result<(), Broken> {
    let ports = &observer.core().ports;
    let broken = |error: &dyn fmt::Display| Broken::new("I2", format!("{eid}: {error}"));
    let journal = at_once(Journal::load(ports, &eid)).map_err(|error| broken(&error))?;
    let mut journal = journal.ok_or_else(|| broken(&"its head is gone"))?;
    let history = at_once(journal.history(ports, 1)).map_err(|error| broken(&error))?;
    must("I2", history == story.commits, || {
        format!("{eid}: the journal is not what was committed")
    })?;
    for payload in story.entries().filter_map(Entry::payload) {
        at_once(stored::resolve(ports, &eid, payload)).map_err(|error| broken(&error))?;
    }
    Ok(())
}

/// I1: an attempt has its effect once, after its start was committed by the same process life, and
/// within the time of its newest commit. The journal contains the value that the step returned.
fn effects(stories: &Stories, written: &Written, ttl: Duration) -> Result<(), Broken> {
    let mut ran: BTreeMap<(ExecutionId, &FrameId), Vec<&Effect>> = BTreeMap::new();
    for effect in &written.effects {
        let (eid, fid, attempt) = (effect.eid, &effect.fid, effect.attempt);
        let what = || format!("{eid} {fid} attempt {attempt} by {}", effect.worker);
        let ran = ran.entry((eid, fid)).or_default();
        let same = |other: &&Effect| other.attempt == attempt && other.key == effect.key;
        must("I1", !ran.iter().any(same), || {
            format!("{} ran twice", what())
        })?;
        ran.push(effect);
        let story = stories.all.get(&eid);
        let story = story.ok_or_else(|| Broken::new("I1", format!("{}: no head", what())))?;
        let attempts = story.attempts();
        let mut began = attempts.get(&(fid, attempt)).into_iter().flatten();
        let recorded = began.any(|commit| {
            let Some(seen) = story.of_commit(commit.commit) else {
                return false;
            };
            let by = seen.head.lease.as_ref();
            seen.place < effect.after && by.is_some_and(|by| by.worker == effect.worker)
        });
        must("I1", recorded, || {
            format!("{} ran, and no commit of its worker records it", what())
        })?;
        let of_worker = story.heads.iter().rev().find(|seen| {
            let by = seen.head.lease.as_ref();
            seen.place < effect.after && by.is_some_and(|by| by.worker == effect.worker)
        });
        let in_time = of_worker.is_some_and(|seen| effect.at <= seen.at + ttl);
        must("I1", in_time, || {
            format!("{} began after its lease ended", what())
        })?;
    }
    for (eid, story) in &stories.all {
        for entry in story.entries() {
            let Entry::FrameCompleted { fid, value } = entry else {
                continue;
            };
            let Some(ran) = ran.get(&(*eid, fid)) else {
                continue;
            };
            let Payload::Inline(value) = value else {
                continue;
            };
            let value: Option<serde_json::Value> = value.get().ok();
            let value = value.and_then(|value| value["value"].as_u64());
            let known = ran.iter().any(|effect| Some(effect.value) == value);
            must("I1", known, || {
                format!("{eid} {fid} completed with {value:?}, which nobody gave")
            })?;
        }
    }
    Ok(())
}

/// I5: a child exists, began once, and its parent received the outcome of the child.
fn children(stories: &Stories, eid: ExecutionId, story: &Story, page: usize) -> Result<(), Broken> {
    let starts = story.entries().filter(|entry| {
        let body = match entry {
            Entry::Received { body, .. } => Some(body),
            _ => None,
        };
        matches!(body, Some(Body::Start(_)))
    });
    let starts = starts.count();
    // The first commit counts as its absorption: more commands than a page holds may hide it.
    let hidden = page < 1_000 && starts == 0;
    must("I5", starts == 1 || hidden, || {
        format!("{eid} absorbed {starts} starts")
    })?;
    for entry in story.entries() {
        let Entry::Received {
            body:
                Body::Child {
                    fid,
                    eid: child,
                    outcome,
                    ..
                },
            ..
        } = entry
        else {
            continue;
        };
        let child = stories.all.get(child);
        let ends = child.into_iter().flat_map(|child| {
            child.entries().filter_map(|entry| match entry {
                Entry::Completed { value } => Some(Ok(value)),
                Entry::Failed { failure } | Entry::Cancelled { failure } => Some(Err(failure)),
                _ => None,
            })
        });
        let ends: Vec<_> = ends.collect();
        let same = ends.iter().any(|end| match (end, outcome) {
            (Ok(Payload::Inline(own)), Ok(Payload::Inline(got))) => own == got,
            (Ok(_), Ok(_)) => true,
            (Err(own), Err(got)) => *own == got,
            _ => false,
        });
        must("I5", same, || {
            format!("{eid} received {outcome:?} of {fid}, which ended {ends:?}")
        })?;
    }
    Ok(())
}
