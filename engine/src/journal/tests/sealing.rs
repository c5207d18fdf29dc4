//! Sealing: entries move from the head to segments, and none is lost.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{Settings, World, begin, commit, draft, entry, load, ports, record, tamper, world};
use crate::domain::{Entry, ExecutionId, Json, Text};
use crate::journal::{CommitError, Item, Journal};
use crate::keys::Key;
use crate::ports::{Bucket, Expect};
use crate::stored::Document as _;
use crate::stored::LoadError;
use crate::testing::Verb;

/// Small bounds, so that few bytes make many segments.
fn small() -> Settings {
    Settings {
        tail: 4 << 10,
        segment: 16 << 10,
        ..Settings::default()
    }
}

/// One commit: the sizes of its entries, whether each has an effect, and the number of effects
/// dispatched before it.
type Step = (Vec<(usize, bool)>, usize);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let size = prop_oneof![8 => 0_usize..200, 2 => 200_usize..1_500, 1 => 1_500_usize..6_000];
    let entries = prop::collection::vec((size, prop::bool::weighted(0.1)), 0..8);
    prop::collection::vec((entries, 0_usize..6), 1..120)
}

/// The number of the tail's first entry.
fn unsealed(journal: &Journal) -> u64 {
    journal.head.sealed.last().map_or(0, |segment| segment.end)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn entries_are_never_lost_reordered_or_sealed_undispatched(steps in steps()) {
        let (world, settings) = (world(), small());
        let mut journal = begin(&world, record(&world, "a"));
        let eid = journal.head.record.eid;
        let (mut all, mut outbox) = (Vec::new(), Vec::<u64>::new());
        for (n, (sizes, dispatched)) in steps.into_iter().enumerate() {
            // A fresh process takes over from time to time, and continues to merge.
            if n % 7 == 6 {
                journal = load(&world, &eid);
                world.block(journal.history(ports(&world), 4)).unwrap();
            }
            outbox.drain(..dispatched.min(outbox.len()));
            let mut entries = Vec::new();
            for (size, effect) in sizes {
                let number = all.len() as u64;
                if effect {
                    outbox.push(number);
                }
                all.push(entry(number, size));
                entries.push(entry(number, size));
            }
            let items = outbox.iter().copied().map(Item::Entry).collect();
            commit(&world, &mut journal, &settings, draft(&world, entries, items)).unwrap();
            let oldest = outbox.first().copied().unwrap_or(u64::MAX);
            prop_assert!(unsealed(&journal) <= oldest);
            let full = journal.head.sealed.split_last().map_or(&[][..], |(_, full)| full);
            prop_assert!(full.iter().all(|segment| segment.bytes >= settings.segment as u64));
            // A tail over its bound contains an undispatched effect, or one commit only.
            let stuck = oldest != u64::MAX;
            prop_assert!(journal.head.tail_bytes() <= settings.tail || stuck || journal.head.tail.len() == 1);
        }
        let mut fresh = load(&world, &eid);
        let before = world.counting.counts();
        let history = world.block(fresh.history(ports(&world), 4)).unwrap();
        let counts = world.counting.counts().since(&before);
        prop_assert_eq!(counts.reads, fresh.head.sealed.len() as u64);
        let numbers: Vec<u64> = history.iter().map(|commit| commit.commit).collect();
        prop_assert_eq!(numbers, (1..=fresh.head.commit).collect::<Vec<_>>());
        let back: Vec<Entry> = history.into_iter().flat_map(|commit| commit.entries).collect();
        prop_assert_eq!(back, all);
        // The bytes of a segment around its commits do not count as journal.
        let most = fresh.head.bytes / (settings.segment as u64 - 512) + 1;
        prop_assert!(fresh.head.sealed.len() as u64 <= most);
        let names: BTreeSet<_> = fresh.head.sealed.iter().map(|segment| &segment.key).collect();
        prop_assert_eq!(names.len(), fresh.head.sealed.len());
    }
}

/// The longest permitted journal, in a head whose other parts are as large as permitted.
#[test]
fn a_head_stays_under_its_bound_up_to_the_longest_journal() {
    let (world, settings) = (world(), Settings::default());
    let mut record = record(&world, "a");
    record.args = Json::of(&"x".repeat(settings.inline_args - 2))
        .unwrap()
        .into();
    record.dispatch_key = Some("\0".repeat(1024));
    let mut journal = begin(&world, record);
    let (mut number, mut seals) = (0, 0);
    while journal.head.bytes < settings.max_journal {
        // As a run writes them: up to 24 KiB together, or one larger entry.
        let sizes: &[usize] = match number % 3 {
            0 => &[32 << 10],
            1 => &[12 << 10, 11 << 10],
            _ => &[100; 60],
        };
        let mut entries = Vec::new();
        for size in sizes {
            entries.push(entry(number, *size));
            number += 1;
        }
        let written = world.counting.counts().writes;
        commit(
            &world,
            &mut journal,
            &settings,
            draft(&world, entries, vec![]),
        )
        .unwrap();
        seals += world.counting.counts().writes - written - 1;
        let bytes = journal.head.encode().len();
        assert!(
            bytes < 96 << 10,
            "{bytes} bytes, {} segments",
            journal.head.sealed.len()
        );
    }
    let head = &journal.head;
    let segments = head.sealed.len() as u64;
    assert!(
        segments > 100 && segments <= head.bytes.div_ceil(256 << 10),
        "{segments}"
    );
    let (_, full) = head.sealed.split_last().unwrap();
    assert!(full.iter().all(|segment| segment.bytes >= 256 << 10));
    // One for each 64 KiB, minus the space that the commits leave unused.
    assert!(seals <= head.bytes.div_ceil(24 << 10), "{seals}");
}

/// A journal of several segments, its key, and that of its second segment.
fn sealed(world: &World) -> (Journal, ExecutionId, Key) {
    let settings = small();
    let mut journal = begin(world, record(world, "a"));
    for number in 0..60 {
        let draft = draft(world, vec![entry(number, 1_000)], vec![]);
        commit(world, &mut journal, &settings, draft).unwrap();
    }
    let eid = journal.head.record.eid;
    assert!(journal.head.sealed.len() >= 3);
    let second = journal.head.sealed[1].key.clone();
    (load(world, &eid), eid, second)
}

fn history(world: &World, journal: &mut Journal) -> Result<usize, LoadError> {
    let history = world.block(journal.history(ports(world), 4))?;
    Ok(history.iter().map(|commit| commit.entries.len()).sum())
}

#[test]
fn a_missing_segment_is_named() {
    let world = world();
    let (mut journal, _, second) = sealed(&world);
    assert_eq!(history(&world, &mut journal).unwrap(), 60);
    tamper(&world, &second, None);
    let error = history(&world, &mut journal).unwrap_err();
    assert!(
        matches!(&error, LoadError::Missing { key } if *key == second),
        "{error}"
    );
}

#[test]
fn a_changed_segment_is_named() {
    let world = world();
    let (mut journal, _, second) = sealed(&world);
    let found = world.block(world.memory.read(&second)).unwrap().unwrap();
    let text = String::from_utf8(found.body.to_vec()).unwrap();
    tamper(&world, &second, Some(text.replacen("xxx", "xyx", 1).into()));
    let error = history(&world, &mut journal).unwrap_err();
    assert!(
        matches!(&error, LoadError::Corrupt { key, .. } if *key == second),
        "{error}"
    );
}

#[test]
fn a_gap_or_a_swap_in_the_chain_is_found() {
    let world = world();
    let (mut journal, _, _) = sealed(&world);
    let whole = journal.head.sealed.clone();
    let corrupt = |journal: &mut Journal| {
        let error = history(&world, journal).unwrap_err();
        matches!(error, LoadError::Corrupt { .. })
    };
    journal.head.sealed.remove(1);
    assert!(corrupt(&mut journal));
    journal.head.sealed = whole.clone();
    journal.head.sealed.swap(0, 1);
    assert!(corrupt(&mut journal));
    journal.head.sealed = whole.clone();
    journal.head.sealed.pop();
    assert!(corrupt(&mut journal));
    journal.head.sealed = whole;
    assert_eq!(history(&world, &mut journal).unwrap(), 60);
    journal.head.tail.pop();
    assert!(corrupt(&mut journal), "the end is missing");
}

#[test]
fn a_segment_of_another_execution_or_a_later_release_is_refused() {
    let world = world();
    let (mut journal, eid, second) = sealed(&world);
    let found = world.block(world.memory.read(&second)).unwrap().unwrap();
    let text = String::from_utf8(found.body.to_vec()).unwrap();
    let other = ExecutionId::keyed(&Text::parse("b").unwrap(), 0);
    let mut put = |text: String| {
        let digest = crate::domain::Digest::of(text.as_bytes());
        let key = crate::keys::segment(&eid, 1, digest.sha16());
        let _ = world
            .block(world.memory.write(&key, text.into(), Expect::Absent))
            .unwrap();
        journal.head.sealed[1].key = key.clone();
        (history(&world, &mut journal).unwrap_err(), key)
    };
    let (error, at) = put(text.replace(&eid.to_string(), &other.to_string()));
    assert!(
        matches!(&error, LoadError::Corrupt { key, .. } if *key == at),
        "{error}"
    );
    let (error, at) = put(text.replacen("\"format\":1", "\"format\":2", 1));
    assert!(
        matches!(&error, LoadError::Newer { key, format: 2, .. } if *key == at),
        "{error}"
    );
}

#[test]
fn a7_a_losers_segment_is_garbage_and_changes_nothing() {
    let (world, settings) = (world(), small());
    let mut journal = begin(&world, record(&world, "a"));
    let eid = journal.head.record.eid;
    commit(
        &world,
        &mut journal,
        &settings,
        draft(&world, vec![entry(0, 3_000)], vec![]),
    )
    .unwrap();
    let mut stale = load(&world, &eid);
    world.block(stale.history(ports(&world), 4)).unwrap();
    let big = |n| draft(&world, vec![entry(n, 3_000)], vec![]);
    commit(&world, &mut journal, &settings, big(1)).unwrap();
    commit(&world, &mut journal, &settings, big(2)).unwrap();
    let lost = commit(&world, &mut stale, &settings, big(9));
    assert!(matches!(lost, Err(CommitError::Lost { .. })));
    let mut fresh = load(&world, &eid);
    assert_eq!(history(&world, &mut fresh).unwrap(), 3);
    assert!(world.counting.log().iter().all(|r| r.verb != Verb::Delete));
}

#[test]
fn a_first_commit_over_the_bound_seals_nothing() {
    let (world, settings) = (world(), small());
    let mut journal = begin(&world, record(&world, "a"));
    let first = draft(&world, vec![entry(0, 5_000)], vec![]);
    commit(&world, &mut journal, &settings, first).unwrap();
    assert_eq!((journal.head.sealed.len(), journal.head.tail.len()), (0, 1));
    let second = draft(&world, vec![entry(1, 5_000)], vec![]);
    commit(&world, &mut journal, &settings, second).unwrap();
    assert_eq!((journal.head.sealed.len(), journal.head.tail.len()), (1, 1));
}
