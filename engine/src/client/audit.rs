//! The audit: finds executions that nothing can wake (I4 in docs/protocol.md, What holds).
//!
//! Every execution that is not over must have one of: a live lease; mail; a timer; a wait for a
//! named party (a message without a deadline, a child that is still running); or an operator's
//! decision (paused, blocked). An execution without any of these would never continue.
//!
//! Every object that an execution names must also exist and be unchanged since it was written: a
//! worker detects a broken one only when it needs it. The same holds for the archive of an
//! archived execution, and for the objects that the archive names. No other objects may exist
//! where the engine reads executions.
//!
//! Mail and timers are listed first, then heads are read, so an execution that advances in
//! between may appear asleep: each suspect is checked again, individually.

use std::collections::BTreeSet;

use futures::{StreamExt, stream};
use serde::Serialize;

use super::attention::{BlockedExecution, UnreadMessages, blocked, unread_messages};
use super::finding::{Asleep, Finding, far_lease};
use super::objects::finding;
use super::open::{Open, collect};
use super::{Engine, EngineError};
use crate::domain::{ExecutionId, MessageId, Status};
use crate::journal::{Head, Journal};
use crate::keys::{self, FeedKey, Key, MailKey, Prefix, TimerKey};
use crate::ports::Listed;
use crate::stored::LoadError;

/// Number of checks of a suspect before it becomes a finding.
const LOOKS: u32 = 3;

/// The result of an audit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Audit {
    /// Number of executions.
    pub executions: usize,
    /// Number of executions that are not over.
    pub open: usize,
    /// Number of executions that an operator must resume: paused and blocked ones.
    pub parked: usize,
    /// Why executions are blocked.
    pub blocked: Vec<BlockedExecution>,
    /// Executions that are not over, with messages that no `receive` has consumed.
    pub unread: Vec<UnreadMessages>,
    /// The problems found.
    pub findings: Vec<Finding>,
}

impl Engine {
    /// Audits every execution: whether something can wake it, and every object that it names. 1 P
    /// for each 1,000 objects; 1 G for each execution, for each segment and for each large value,
    /// which is read completely; for waiting executions 1 G more, and their segments once more.
    ///
    /// # Errors
    /// The store failed. An unreadable object is a finding.
    pub async fn audit(&self) -> Result<Audit, EngineError> {
        let listed = self.list_all().await?;
        let looks: Vec<_> = stream::iter(listed.heads)
            .map(|key| self.examine(key, &listed.woken))
            .buffered(self.core.settings.concurrency.max(1))
            .collect()
            .await;
        let mut audit = Audit::default();
        for look in looks {
            let Some(seen) = look? else {
                continue; // deleted meanwhile
            };
            audit.executions += 1;
            audit.open += usize::from(seen.status.is_some_and(|s| !s.is_terminal()));
            let parked = matches!(seen.status, Some(Status::Paused | Status::Blocked));
            audit.parked += usize::from(parked);
            audit.findings.extend(seen.findings);
            audit.blocked.extend(seen.blocked);
            audit.unread.extend(seen.unread);
        }
        let ports = &self.core.ports;
        for eid in listed.without_head {
            let key = keys::head(&eid);
            // It may have begun after the listing of heads.
            if ports.read(&key).await?.is_none() {
                let why = "it is gone: feed objects, mail or timers name it".to_owned();
                audit.findings.push(Finding::Corrupt { key, why });
            }
        }
        let foreign = listed.foreign.into_iter();
        let foreign = foreign.map(|key| Finding::Foreign { key });
        audit.findings.extend(foreign);
        Ok(audit)
    }

    /// Lists every object that an audit looks at. 1 P for each 1,000.
    async fn list_all(&self) -> Result<ListedAll, EngineError> {
        let ports = &self.core.ports;
        let prefix = |text| Prefix::parse(text).expect("a constant of the key layout");
        let mut all = ListedAll::default();
        let mail = ports.list(&prefix(keys::MAIL)).await?;
        let timers = ports.list(&keys::timers()).await?;
        for Listed { key, .. } in mail.into_iter().chain(timers) {
            let mail = MailKey::parse(&key);
            // Only a `start` precedes its head.
            let begins = mail.as_ref();
            let begins = begins.is_some_and(|mail| mail.mid == MessageId::start());
            let mail = mail.map(|mail| mail.eid);
            let Some(eid) = mail.or_else(|| TimerKey::parse(&key).map(|timer| timer.eid)) else {
                all.foreign.push(key);
                continue;
            };
            all.woken.insert(eid);
            if !begins {
                all.without_head.insert(eid);
            }
        }
        for Listed { key, .. } in ports.list(&prefix("x/")).await? {
            if key.as_str().ends_with("/head") {
                all.heads.push(key);
            } else if keys::lease(&key).is_none() {
                all.foreign.push(key);
            }
        }
        for Listed { key, .. } in ports.list(&prefix(keys::FEED)).await? {
            match FeedKey::parse(&key) {
                Some(reported) => _ = all.without_head.insert(reported.eid),
                None => all.foreign.push(key),
            }
        }
        for eid in all.heads.iter().filter_map(keys::lease) {
            all.without_head.remove(&eid);
        }
        Ok(all)
    }

    async fn examine(
        &self,
        key: Key,
        woken: &BTreeSet<ExecutionId>,
    ) -> Result<Option<Seen>, EngineError> {
        let eid = keys::lease(&key).filter(|eid| keys::head(eid) == key);
        let Some(eid) = eid else {
            let why = "its key names no execution".to_owned();
            return Ok(Some(Seen::bad(Finding::Corrupt { key, why })));
        };
        let mut journal = match Journal::load(&self.core.ports, &eid).await {
            Ok(Some(journal)) => journal,
            Ok(None) => return Ok(None),
            Err(LoadError::Bucket(error)) => return Err(error.into()),
            Err(LoadError::Newer { key, format, .. }) => {
                return Ok(Some(Seen::bad(Finding::Newer { key, format })));
            }
            Err(LoadError::Corrupt { key, why }) => {
                return Ok(Some(Seen::bad(Finding::Corrupt { key, why })));
            }
            Err(LoadError::Missing { key }) => {
                let why = "it is missing".to_owned();
                return Ok(Some(Seen::bad(Finding::Corrupt { key, why })));
            }
        };
        let (mut findings, mut commits) = self.broken(&mut journal).await?;
        // Missing objects may have been archived since the head was read.
        if !findings.is_empty()
            && let Ok(Some(now)) = Journal::load(&self.core.ports, &eid).await
            && now.head.commit != journal.head.commit
        {
            journal = now;
            (findings, commits) = self.broken(&mut journal).await?;
        }
        let status = Some(journal.head.status);
        // Only the whole journal shows whether it waits in vain.
        if findings.is_empty() {
            let look = match self.asleep(&journal.head, woken.contains(&eid)).await {
                Ok(Some(_)) => self.suspect(eid).await,
                other => other.map(|_| None),
            };
            match look {
                Ok(found) => findings.extend(found),
                // Broken since it was first read.
                Err(EngineError::Load(error)) => findings.push(finding(&journal, error)?),
                Err(error) => return Err(error),
            }
        }
        findings.extend(far_lease(&journal.head, self.core.ports.clock.now()));
        Ok(Some(Seen {
            status,
            blocked: blocked(&journal.head, &commits),
            unread: unread_messages(&journal.head, &commits),
            findings,
        }))
    }

    /// Checks one execution until two reads in a row find the same commit.
    async fn suspect(&self, eid: ExecutionId) -> Result<Option<Finding>, EngineError> {
        let mut before = None;
        for _ in 0..LOOKS {
            let Some(journal) = Journal::load(&self.core.ports, &eid).await? else {
                return Ok(None);
            };
            let head = journal.head;
            let mailbox = keys::mailbox(&head.record.queue, &eid);
            let mailed = self.core.ports.first(&mailbox).await?.is_some();
            // The head is read before the mailbox, which could fill and empty in between: only
            // the same commit twice is a finding.
            let Some(why) = self.asleep(&head, mailed).await? else {
                return Ok(None);
            };
            if before == Some((head.commit, why)) {
                return Ok(Some(Finding::Asleep {
                    eid,
                    workflow: head.record.workflow,
                    status: head.status,
                    why,
                }));
            }
            before = Some((head.commit, why));
        }
        Ok(None) // it advances
    }

    async fn asleep(&self, head: &Head, woken: bool) -> Result<Option<Asleep>, EngineError> {
        let ports = &self.core.ports;
        match head.status {
            Status::Pending | Status::Running | Status::Suspended => {}
            Status::Paused
            | Status::Blocked
            | Status::Completed
            | Status::Failed
            | Status::Cancelled
            | Status::Terminated
            | Status::Archived => return Ok(None),
        }
        let now = ports.clock.now();
        if woken || head.lease.as_ref().is_some_and(|lease| lease.until > now) {
            return Ok(None);
        }
        for timer in head.timer.iter().chain(&head.fired) {
            if ports.read(timer).await?.is_some() {
                return Ok(None);
            }
        }
        if head.status == Status::Pending {
            return Ok(Some(Asleep::NoStart));
        }
        if head.lease.is_some() || head.status == Status::Running {
            return Ok(Some(Asleep::NoCause));
        }
        if head.timer.is_some() {
            return Ok(Some(Asleep::NoTimer));
        }
        self.waits_in_vain(head.record.eid).await
    }

    /// Checks whether no message and no child can wake an execution without a deadline.
    async fn waits_in_vain(&self, eid: ExecutionId) -> Result<Option<Asleep>, EngineError> {
        let mut open = Vec::new();
        collect(&self.frames(eid).await?, &mut open);
        let mut waits = false;
        for frame in open {
            match frame {
                Open::Message => waits = true,
                Open::Child(child) => match Journal::load(&self.core.ports, &child).await {
                    Ok(Some(child)) if self.is_under_way(&child.head).await? => waits = true,
                    Ok(Some(_) | None) => return Ok(Some(Asleep::NoResult)),
                    Err(LoadError::Bucket(error)) => return Err(error.into()),
                    Err(_) => waits = true, // the child has a finding of its own
                },
            }
        }
        Ok((!waits).then_some(Asleep::NoWait))
    }

    /// Returns whether a child is running, or may still perform the effects of its last commit.
    async fn is_under_way(&self, child: &Head) -> Result<bool, EngineError> {
        if !child.status.is_terminal() {
            return Ok(true);
        }
        let ports = &self.core.ports;
        let mailbox = keys::mailbox(&child.record.queue, &child.record.eid);
        let mailed = ports.first(&mailbox).await?.is_some();
        let fired = match &child.fired {
            Some(timer) => ports.read(timer).await?.is_some(),
            None => false,
        };
        Ok(fired || mailed)
    }
}

/// What an audit looks at.
#[derive(Default)]
struct ListedAll {
    /// Executions with mail or a timer.
    woken: BTreeSet<ExecutionId>,
    heads: Vec<Key>,
    /// Executions that feed objects, mail or timers name, and that no listed head is of.
    without_head: BTreeSet<ExecutionId>,
    /// Objects at keys that the engine never writes.
    foreign: Vec<Key>,
}

struct Seen {
    status: Option<Status>,
    blocked: Option<BlockedExecution>,
    unread: Option<UnreadMessages>,
    findings: Vec<Finding>,
}

impl Seen {
    fn bad(finding: Finding) -> Self {
        Self {
            status: None,
            blocked: None,
            unread: None,
            findings: vec![finding],
        }
    }
}
