//! What must hold in the bucket, whatever happened.

use std::collections::BTreeSet;

use super::super::entries;
use super::super::ledger::Ledger;
use super::super::story::{Stories, Story};
use super::Scenario;
use crate::client::{Asleep, Finding};
use crate::domain::{Body, Entry, ExecutionId, Status};
use crate::journal::Head;
use crate::keys::{Key, MailKey, Prefix, TimerKey};
use crate::testing::World;

/// The expected ends.
pub(super) fn ends(scenario: &Scenario, world: &World) {
    for (key, status, result) in &scenario.ends {
        let outcome = world.outcome(super::super::keyed(key));
        let value = match &outcome.value {
            Ok(value) => value.as_str().to_owned(),
            Err(failure) => failure.to_string(),
        };
        assert_eq!(
            (outcome.status, value.as_str()),
            (*status, *result),
            "{key}"
        );
    }
}

/// I1 to I7 on everything that was ever written.
pub(super) fn all(scenario: &Scenario, world: &World, ledger: &Ledger) {
    assert_eq!(ledger.wrong(), Vec::<String>::new(), "I1");
    let stories = Stories::read(&world.memory);
    let there = stories.all.len();
    assert!(scenario.executions.contains(&there), "{there} executions");
    for (eid, story) in &stories.all {
        story.check();
        assert!(story.last().status.is_terminal(), "I4: {eid} has not ended");
        assert!(story.last().lease.is_none(), "{eid} is owned for ever");
        effects(*eid, story, ledger);
        fed(*eid, story, &stories);
        let (bytes, outbox) = story.most();
        assert!(bytes <= 96 << 10, "{eid}: a head of {bytes} bytes");
        assert!(outbox <= 66, "{eid}: an outbox of {outbox}");
    }
}

/// I1: no attempt had an effect that is not in the journal, and none had two.
fn effects(eid: ExecutionId, story: &Story, ledger: &Ledger) {
    let attempts = story.attempts();
    for ((_, fid), done) in ledger.done().into_iter().filter(|((of, _), _)| *of == eid) {
        let began: BTreeSet<u32> = attempts.get(&fid).into_iter().flatten().copied().collect();
        let ran: BTreeSet<u32> = done.iter().copied().collect();
        assert_eq!(
            ran.len(),
            done.len(),
            "an attempt ran twice: {fid} {done:?}"
        );
        assert!(ran.is_subset(&began), "{fid}: ran={ran:?} began={began:?}");
    }
}

/// I7, A15: the feed reports the end after the result is in flight; it never reports a commit
/// that is not.
fn fed(eid: ExecutionId, story: &Story, stories: &Stories) {
    let last = story.last();
    let ends: Vec<usize> = story
        .reported
        .iter()
        .filter(|(reported, _)| reported.commit == last.commit && reported.status == last.status)
        .map(|(_, at)| *at)
        .collect();
    let first = *ends
        .first()
        .unwrap_or_else(|| panic!("I7: {eid} is not reported"));
    if let Some(parent) = last.record.parent.as_ref().filter(|parent| parent.waits) {
        let mid = crate::domain::MessageId::result(&eid, last.generation);
        let sent = stories.mails.get(&(parent.eid, mid));
        let sent = sent.unwrap_or_else(|| panic!("I6: the result of {eid} was never sent"));
        assert!(
            *sent < first,
            "A15: the feed came before the result of {eid}"
        );
    }
    for (reported, at) in &story.reported {
        let commit = story
            .heads
            .iter()
            .find(|(head, ..)| head.commit == reported.commit);
        let (_, _, landed) = commit.expect("it reports a commit that landed");
        assert!(landed < at, "it reports a commit before it landed");
    }
    let starts = story.entries().filter(|entry| {
        matches!(
            entry,
            Entry::Received {
                body: Body::Start(_),
                ..
            }
        )
    });
    assert_eq!(starts.count(), 1, "I5: {eid} absorbed its start");
}

/// I4 (case 10): whatever died, every execution that has not ended has a lease holder, mail, an
/// timer, or waits for somebody outside.
pub(super) fn nothing_stands_still(world: &World) {
    let rows = world.memory.snapshot();
    let of = |eid: ExecutionId, key: &Key| {
        MailKey::parse(key).is_some_and(|mail| mail.eid == eid)
            || TimerKey::parse(key).is_some_and(|timer| timer.eid == eid)
    };
    for head in heads(world) {
        let eid = head.record.eid;
        let caused = head.lease.is_some() || rows.iter().any(|(key, _)| of(eid, key));
        let waits = match head.status {
            Status::Paused | Status::Blocked => true,
            Status::Suspended => head.timer.is_none(),
            Status::Pending | Status::Running => false,
            status => status.is_terminal(),
        };
        assert!(caused || waits, "I4: {eid} stands still: {}", head.status);
    }
}

/// No mail, no timer.
pub(super) fn nothing_is_left(world: &World) {
    for prefix in ["mail/", "timers/"] {
        let prefix = Prefix::parse(prefix).unwrap();
        let rows = world.memory.snapshot();
        let left: Vec<_> = rows
            .iter()
            .filter(|(key, _)| key.is_under(&prefix))
            .collect();
        assert!(left.is_empty(), "left behind: {left:?}");
    }
}

fn heads(world: &World) -> Vec<Head> {
    let rows = world.memory.snapshot().into_iter();
    let heads = rows.filter(|(key, _)| key.as_str().ends_with("/head"));
    heads
        .map(|(key, body)| {
            let eid = ExecutionId::parse(key.as_str().split('/').nth(2).unwrap()).unwrap();
            Head::decode(&key, &eid, &body).unwrap()
        })
        .collect()
}

/// The uncut play has an entry of this kind.
pub(super) fn is_told(world: &World, kind: &str) {
    let all = heads(world);
    let mut all = all.iter().flat_map(|head| entries(world, head.record.eid));
    assert!(all.any(|entry| entry.kind() == kind), "{kind} never was");
}

/// Takes every cause away once no holder lives. Whoever needed one is missed by the audit, for
/// this reason; who waits for a message, or for an operator, is not.
pub(super) fn what_is_missed(world: &World) -> BTreeSet<Asleep> {
    world.clock.advance(world.engine.core().settings.ttl * 2);
    for (key, _) in world.memory.snapshot() {
        if MailKey::parse(&key).is_some() || TimerKey::parse(&key).is_some() {
            world.block(world.engine.ports().delete(&key)).unwrap();
        }
    }
    let needs = |head: &Head| match head.status {
        Status::Pending => Some(Asleep::NoStart),
        Status::Running => Some(Asleep::NoCause),
        Status::Suspended => head.timer.as_ref().map(|_| Asleep::NoTimer),
        _ => None, // parked, or ended
    };
    let needs = heads(world)
        .into_iter()
        .filter_map(|head| needs(&head).map(|why| (head.record.eid, why)));
    let needs: BTreeSet<(ExecutionId, Asleep)> = needs.collect();
    let audit = world.block(world.engine.audit()).unwrap();
    let missed = audit.findings.iter().map(|finding| match finding {
        Finding::Asleep { eid, why, .. } => (*eid, *why),
        other => panic!("{other:?}"),
    });
    assert_eq!(missed.collect::<BTreeSet<_>>(), needs);
    needs.into_iter().map(|(_, why)| why).collect()
}
