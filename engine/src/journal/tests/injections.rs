//! The outcome of a commit for each response of the store, with exactly these requests.

use std::pin::pin;
use std::time::Duration;

use super::{Settings, begin, draft, entry, load, ports, record, world};
use crate::journal::{CommitError, Draft, Journal};
use crate::ports::Created;
use crate::ports::{Bucket, Clock, Fault};
use crate::testing::{Injection, Rule, Verb, World};

/// Makes a first commit under `rules`; returns its result, with its writes and reads.
fn injection(
    rules: impl IntoIterator<Item = Rule>,
) -> (World, Journal, Result<(), CommitError>, (u64, u64)) {
    injection_of(rules, |_, draft| draft)
}

fn injection_of(
    rules: impl IntoIterator<Item = Rule>,
    change: impl FnOnce(&World, Draft) -> Draft,
) -> (World, Journal, Result<(), CommitError>, (u64, u64)) {
    let world = world();
    let mut journal = begin(&world, record(&world, "a"));
    let draft = change(&world, draft(&world, vec![entry(0, 10)], vec![]));
    rules.into_iter().for_each(|rule| world.faults.add(rule));
    let (ended, counts) =
        world.counted(|w| super::commit(w, &mut journal, &Settings::default(), draft));
    assert_eq!((counts.lists, counts.deletes), (0, 0));
    (world, journal, ended, (counts.writes, counts.reads))
}

/// The commit number of the stored head.
fn stored(world: &World, journal: &Journal) -> u64 {
    load(world, &journal.head.record.eid).head.commit
}

fn on_write(injection: Injection) -> Rule {
    Rule::new(injection).on_writes()
}

fn on_read(injection: Injection) -> Rule {
    Rule::new(injection).on(Verb::Read)
}

#[test]
fn i2_a_commit_that_is_answered_is_one_write() {
    let (world, mut journal, ended, requests) = injection([]);
    assert!(ended.is_ok());
    assert_eq!((requests, stored(&world, &journal)), ((1, 0), 1));
    let next = draft(&world, vec![], vec![]);
    super::commit(&world, &mut journal, &Settings::default(), next).unwrap();
    assert_eq!(stored(&world, &journal), 2);
}

#[test]
fn i2_a_lost_reply_of_a_write_that_landed_is_landed_once() {
    let (world, mut journal, ended, requests) = injection([on_write(Injection::LandedReplyLost)]);
    assert!(ended.is_ok());
    assert_eq!((requests, stored(&world, &journal)), ((1, 1), 1));
    assert_eq!(load(&world, &journal.head.record.eid).head.entries, 1);
    // The journal has the version now, and continues from it.
    let next = draft(&world, vec![], vec![]);
    super::commit(&world, &mut journal, &Settings::default(), next).unwrap();
    assert_eq!(stored(&world, &journal), 2);
}

#[test]
fn i2_a_lost_write_is_repeated_and_its_late_arrival_changes_nothing() {
    let (world, journal, ended, requests) = injection([on_write(Injection::Held)]);
    assert!(ended.is_ok());
    assert_eq!((requests, stored(&world, &journal)), ((2, 1), 1));
    let late = world.block(world.faults.release()).unwrap();
    assert_eq!(late, [crate::ports::Outcome::Refused]);
    assert_eq!(
        load(&world, &journal.head.record.eid).head.nonce,
        journal.head.nonce
    );
}

#[test]
fn i2_all_attempts_at_a_commit_have_one_nonce() {
    let world = world();
    let mut journal = begin(&world, record(&world, "a"));
    let draft = draft(&world, vec![entry(0, 10)], vec![]);
    world.faults.add(on_write(Injection::Held));
    let settings = Settings::default();
    let eid = journal.head.record.eid;
    let before = world.counting.counts();
    {
        let mut commit = pin!(journal.commit(ports(&world), &settings, draft));
        // The commit has read the expected version, and pauses before it writes again.
        assert!(world.pool.run_until_stalled(commit.as_mut()).is_none());
        let late = world.block(world.faults.release()).unwrap();
        assert!(matches!(late[..], [crate::ports::Outcome::Landed(_)]));
        // Its second write is refused because its own first one landed.
        world.block(commit).unwrap();
    }
    let counts = world.counting.counts().since(&before);
    assert_eq!((counts.writes, counts.reads), (2, 2));
    assert_eq!(
        (
            load(&world, &eid).head.commit,
            load(&world, &eid).head.entries
        ),
        (1, 1)
    );
}

#[test]
fn i2_anothers_commit_is_a_loss_at_once() {
    let other = |world: &World, draft| {
        let eid = record(world, "a").eid;
        let mut other = load(world, &eid);
        let first = super::draft(world, vec![], vec![]);
        super::commit(world, &mut other, &Settings::default(), first).unwrap();
        draft
    };
    let (world, journal, ended, requests) = injection_of([], other);
    assert!(
        matches!(&ended, Err(CommitError::Lost { key, commit: 1 }) if *key == journal.head.key())
    );
    assert_eq!(
        (
            requests,
            load(&world, &journal.head.record.eid).head.entries
        ),
        ((1, 1), 0)
    );
    // The same if no response arrived.
    let (world, journal, ended, requests) = injection_of([on_write(Injection::Held)], other);
    assert!(matches!(ended, Err(CommitError::Lost { .. })));
    assert_eq!(requests, (1, 1));
    let late = world.block(world.faults.release()).unwrap();
    assert_eq!(late, [crate::ports::Outcome::Refused]);
    assert_eq!(load(&world, &journal.head.record.eid).head.entries, 0);
}

#[test]
fn i2_case_14_a_refusal_is_a_loss_only_if_the_head_is_another() {
    let (world, journal, ended, requests) = injection([on_write(Injection::Refused)]);
    assert!(ended.is_ok(), "the head is as it was");
    assert_eq!((requests, stored(&world, &journal)), ((2, 1), 1));
    let (world, journal, ended, requests) = injection([on_write(Injection::Conflicted)]);
    assert!(ended.is_ok());
    assert_eq!((requests, stored(&world, &journal)), ((2, 0), 1));
    // A store that refuses as long as the lease lasts, although no other writer committed.
    let (world, journal, ended, requests) = injection([on_write(Injection::Refused).always()]);
    assert!(matches!(ended, Err(CommitError::Bucket(_))), "{ended:?}");
    assert_eq!(requests.0, requests.1);
    assert_eq!(stored(&world, &journal), 0);
    // Also after a lost reply.
    let (world, journal, ended, requests) =
        injection([on_write(Injection::Held), on_write(Injection::Refused)]);
    assert!(ended.is_ok());
    assert_eq!((requests, stored(&world, &journal)), ((3, 2), 1));
}

#[test]
fn i2_a_commit_whose_injection_cannot_be_read_is_unknown() {
    for lost in [Injection::LandedReplyLost, Injection::Held] {
        let denied = on_read(Injection::Error(Fault::Denied));
        let (_, journal, ended, requests) = injection([on_write(lost), denied]);
        assert!(
            matches!(&ended, Err(CommitError::Unknown { key, commit: 1 }) if *key == journal.head.key())
        );
        assert_eq!(requests, (1, 1));
        let silent = on_read(Injection::NotSent).always();
        let (_, _, ended, requests) = injection([on_write(lost), silent]);
        assert!(matches!(ended, Err(CommitError::Unknown { .. })));
        assert!(requests.0 == 1 && requests.1 > 15, "{requests:?}");
        let short = on_read(Injection::NotSent).times(9);
        let (world, journal, ended, requests) = injection([on_write(lost), short]);
        assert!(ended.is_ok());
        let writes = if lost == Injection::Held { 2 } else { 1 };
        assert_eq!((requests, stored(&world, &journal)), ((writes, 10), 1));
    }
}

#[test]
fn i2_answers_that_never_come_end_as_unknown() {
    let (world, journal, ended, requests) = injection([on_write(Injection::Held).always()]);
    assert!(matches!(ended, Err(CommitError::Unknown { .. })));
    assert_eq!((requests.0, stored(&world, &journal)), (requests.1, 0));
    assert!((15..200).contains(&requests.0), "{requests:?}");
    // Whichever of them arrives, it is the same commit.
    let late = world.block(world.faults.release()).unwrap();
    let landed = late
        .iter()
        .filter(|o| matches!(o, crate::ports::Outcome::Landed(_)));
    assert_eq!((landed.count(), stored(&world, &journal)), (1, 1));
}

#[test]
fn i2_no_attempt_is_made_past_the_lease() {
    let past = |world: &World, draft: Draft| Draft {
        deadline: world.clock.monotonic() + Duration::from_millis(1),
        ..draft
    };
    let slow = on_write(Injection::Delay(Duration::from_millis(2)));
    let (_, _, ended, requests) = injection_of(
        [on_write(Injection::Error(Fault::Throttled)).times(5), slow],
        past,
    );
    assert!(matches!(ended, Err(CommitError::Bucket(_))), "{ended:?}");
    assert!(requests.0 <= 2 && requests.1 == 0, "{requests:?}");
}

#[test]
fn i2_case_17_passing_trouble_is_waited_for_while_the_lease_lasts() {
    for fault in [Fault::Throttled, Fault::Unavailable] {
        let (world, journal, ended, requests) =
            injection([on_write(Injection::Error(fault)).times(9)]);
        assert!(ended.is_ok());
        assert_eq!((requests, stored(&world, &journal)), ((10, 0), 1));
        let (world, journal, ended, requests) =
            injection([on_write(Injection::Error(fault)).always()]);
        assert!(matches!(ended, Err(CommitError::Bucket(error)) if error.fault == fault));
        assert_eq!((requests.1, stored(&world, &journal)), (0, 0));
        assert!((15..200).contains(&requests.0), "{requests:?}");
        assert!(world.clock.monotonic() < Duration::from_secs(30));
    }
}

#[test]
fn i2_case_17_a_commit_waits_for_at_least_what_the_store_asks_and_never_past_its_deadline() {
    let asks = |seconds| Injection::SlowDown(Some(Duration::from_secs(seconds)));
    let (world, journal, ended, requests) = injection([on_write(asks(5)).times(3)]);
    assert!(ended.is_ok());
    assert_eq!((requests, stored(&world, &journal)), ((4, 0), 1));
    let waited = world.clock.monotonic();
    assert!(waited > Duration::from_secs(15) && waited < Duration::from_secs(16));
    let (world, _, ended, requests) = injection([on_write(asks(31))]);
    assert!(matches!(ended, Err(CommitError::Bucket(_))));
    assert_eq!(
        (requests, world.clock.monotonic()),
        ((1, 0), Duration::ZERO)
    );
}

#[test]
fn i2_trouble_that_stays_is_passed_on_at_once() {
    for fault in [Fault::Denied, Fault::Full, Fault::Gone, Fault::Invalid] {
        let (world, journal, ended, requests) = injection([on_write(Injection::Error(fault))]);
        assert!(matches!(ended, Err(CommitError::Bucket(error)) if error.fault == fault));
        assert_eq!((requests, stored(&world, &journal)), ((1, 0), 0));
        // The error must not claim that nothing was written, if a write may have landed.
        let (_, _, ended, requests) =
            injection([on_write(Injection::Held), on_write(Injection::Error(fault))]);
        assert!(matches!(ended, Err(CommitError::Unknown { .. })));
        assert_eq!(requests, (2, 1));
    }
}

#[test]
fn i2_a_head_that_is_gone_is_a_loss() {
    let world = world();
    let mut journal = begin(&world, record(&world, "a"));
    world
        .block(world.memory.delete(&journal.head.key()))
        .unwrap();
    world.faults.add(on_write(Injection::Held));
    let draft = draft(&world, vec![], vec![]);
    let ended = super::commit(&world, &mut journal, &Settings::default(), draft);
    assert!(matches!(ended, Err(CommitError::Lost { .. })));
    assert!(world.memory.is_empty());
}

#[test]
fn a_head_is_created_once_whatever_answers_are_lost() {
    for (lost, landed_first) in [(Injection::LandedReplyLost, true), (Injection::Held, false)] {
        let world = world();
        world.faults.add(on_write(lost));
        let record = record(&world, "a");
        let eid = record.eid;
        let (begun, counts) = world.counted(|w| w.block(Journal::begin(ports(w), record)).unwrap());
        assert!(
            matches!(begun, Created::New(_)),
            "its nonce shows that it is ours"
        );
        assert_eq!((counts.writes, counts.reads), (2, u64::from(landed_first)));
        assert_eq!(load(&world, &eid).head.commit, 0);
    }
}
