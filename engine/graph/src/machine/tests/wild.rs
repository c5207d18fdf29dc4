//! Events of any kind in any order: what is not permitted changes nothing, and the rules of the
//! machine hold after each step.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::run::{Run, broken, cases, done, graph};
use crate::definition::{Name, StateKey};
use crate::machine::{
    Abort, Checkpoint, Decision, Event, Evidence, Handled, KindOfCheckpoint, Notice, Open, Phase,
    Rejection, Resolution, Transition,
};

fn decision(which: u8) -> Decision {
    match which % 6 {
        0 => Decision::Answer(json!("yes")),
        1 => Decision::Answer(json!("bad")),
        2 => Decision::Sealed {
            names: vec![Name::parse("pin").unwrap()],
            digest: "d".into(),
        },
        3 => Decision::Accept([(StateKey::parse("log").unwrap(), json!("done"))].into()),
        4 => Decision::Fail {
            message: "no".into(),
        },
        _ => Decision::Retry {
            forced: (which > 127).then(|| "why not".to_owned()),
        },
    }
}

fn notice(which: u8) -> Notice {
    let identity = if which > 240 { "c2" } else { "c1" }.to_owned();
    match which % 9 {
        0 | 1 => Notice::Dispatched(identity),
        2 => Notice::Asks(identity, json!({ "id": which / 64 })),
        3 => Notice::Delivered,
        4 => Notice::Uncertain,
        5 => Notice::Unknown((which > 127).then_some(identity)),
        6 => Notice::Aborted,
        7 => Notice::AbortUnknown,
        _ => Notice::Absent,
    }
}

/// An event for a control that is open (mostly), of a kind that may not fit it.
fn event(run: &Run, (what, which, how): (u8, u8, u8)) -> Event {
    let checkpoint = run.machine.checkpoint();
    let open: Vec<u64> = checkpoint.controls.values().map(|it| it.sequence).collect();
    let control = match open.get(usize::from(which) % open.len().max(1)) {
        Some(control) if which < 245 => *control,
        _ => u64::from(which % 16),
    };
    let asked = checkpoint
        .controls
        .values()
        .find(|it| it.sequence == control);
    let asked = asked.and_then(|it| it.asked).map_or(0, |it| it.generation);
    match what % 26 {
        0..=2 => Event::Ended {
            control,
            ending: done("a1"),
        },
        3 => Event::Ended {
            control,
            ending: broken(how % 3 != 0),
        },
        4 | 5 => Event::Stopped { control },
        6..=12 => Event::Notice {
            control,
            notice: notice(how),
        },
        13 | 14 => Event::Lost { control },
        15 if how < 128 => Event::InputsLost { control },
        15 => Event::Unusable { control },
        16..=20 => Event::Resolve(Resolution {
            sequence: control,
            generation: if how > 240 { 0 } else { asked },
            decision: decision(how),
        }),
        21 => Event::Pause,
        22 | 23 => Event::Resume(None),
        24 if how > 200 => Event::Cancel(None),
        _ => Event::Retried(None),
    }
}

/// How far the evidence of an attempt has grown.
fn growth(evidence: &Evidence) -> u8 {
    match evidence {
        Evidence::Intent => 0,
        // An answered question makes a waiting attempt dispatched again.
        Evidence::Dispatched { .. } | Evidence::Waiting { .. } => 1,
        Evidence::Unknown { .. } => 2,
        Evidence::Retry { .. } => 3,
    }
}

/// Checks two checkpoints that follow each other.
fn follows(before: &Checkpoint, after: &Checkpoint) {
    assert_eq!(after.sequence, before.sequence + 1);
    assert!(after.superstep == before.superstep || after.superstep == before.superstep + 1);
    assert!(after.next_ordinal() >= before.next_ordinal());
    assert!(!before.phase.is_terminal() || matches!(after.phase, Phase::Active));
    if before.phase.cancel().is_some() {
        assert_eq!(after.phase.cancel(), before.phase.cancel());
    }
    if after.phase.is_terminal() {
        assert!(after.controls.is_empty() && after.staged.is_empty());
    }
    // M4: a control keeps its sequence, and the evidence of an attempt only grows.
    let old: BTreeMap<u64, _> = before
        .controls
        .values()
        .map(|it| (it.sequence, it))
        .collect();
    for control in after.controls.values() {
        match old.get(&control.sequence) {
            None => assert_eq!(control.sequence, after.sequence, "a new control"),
            Some(old) => {
                assert!(control.asked.map(|it| it.generation) >= old.asked.map(|it| it.generation));
                if let (Open::Attempt(old), Open::Attempt(new)) = (&old.open, &control.open) {
                    assert!(growth(&new.evidence) >= growth(&old.evidence));
                    assert!(new.number == old.number && new.kept == old.kept);
                    let retries = matches!(new.evidence, Evidence::Retry { .. });
                    assert!(retries || new.abort >= old.abort);
                    if let Some(identity) = old.evidence.identity() {
                        assert_eq!(new.evidence.identity(), Some(identity));
                    }
                    let decided = matches!(old.abort, Abort::Applied | Abort::Unknown);
                    assert!(!decided || new.abort == old.abort);
                }
            }
        }
    }
    // Only an open control can confirm a decision.
    for ((sequence, _), made) in after.settlements.iter() {
        let open = after.controls.values().any(|it| it.sequence == *sequence);
        assert!(open || made.state != crate::machine::SettlementState::Intended);
    }
    // A decision never changes, and an applied one stays applied where it was.
    for ((sequence, generation), made) in before.settlements.iter() {
        let now = after
            .settlements
            .get(*sequence, *generation)
            .expect("it stays");
        assert_eq!(now.digest, made.digest);
        let applied = matches!(made.state, crate::machine::SettlementState::Applied { .. });
        assert!(!applied || now.state == made.state);
    }
}

const NODES: [&str; 9] = ["g1", "g2", "o3", "n4", "i5", "a6", "c7", "r8", "w9"];

fn run(
    (first, count): (usize, usize),
    choices: &[((u8, u8, u8), u16)],
    seen: &mut BTreeMap<Transition, u32>,
) {
    // All nodes in one frontier rarely come to a barrier together, so most runs have few.
    let entry: Vec<&str> = NODES
        .iter()
        .cycle()
        .skip(first)
        .take(count)
        .copied()
        .collect();
    let edges = [
        "g1->J", "g2->J", "o3->J", "n4->J", "i5->J", "a6->J", "c7->J", "r8->J", "w9->J", "J->g1",
        "J->o3", "J->i5", "J->n4",
    ];
    let mut run = Run::new(&graph(&entry, &edges, &[]));
    for (choice, millis) in choices {
        run.now += u64::from(*millis);
        let mut checkpoint = run.machine.checkpoint().clone();
        while let Some(step) = run
            .machine
            .advance(run.now)
            .expect("what follows is permitted")
        {
            assert!(
                step.transition.permitted(&checkpoint),
                "{}",
                step.transition
            );
            follows(&checkpoint, run.machine.checkpoint());
            checkpoint = run.machine.checkpoint().clone();
            *seen.entry(step.transition).or_insert(0) += 1;
        }
        // A checkpoint is written as JSON and read again without loss.
        let text = serde_json::to_string(&checkpoint).expect("a checkpoint is JSON");
        let read: Checkpoint = serde_json::from_str(&text).expect("it is read as it is written");
        assert_eq!(read, checkpoint);
        let event = event(&run, *choice);
        match run.machine.handle(event.clone(), run.now) {
            Ok(Handled::Moved(step)) => {
                assert!(
                    step.transition.permitted(&checkpoint),
                    "{}",
                    step.transition
                );
                follows(&checkpoint, run.machine.checkpoint());
                let barrier = step.transition == Transition::Barrier;
                assert_eq!(step.kind == KindOfCheckpoint::Action, barrier);
                *seen.entry(step.transition).or_insert(0) += 1;
            }
            Ok(_) | Err(_) => {
                assert_eq!(*run.machine.checkpoint(), checkpoint, "{event:?}");
            }
        }
    }
}

#[test]
fn c1_any_events_in_any_order_keep_the_rules_and_what_is_refused_changes_nothing() {
    let mut seen = BTreeMap::new();
    let choice = (any::<u8>(), any::<u8>(), any::<u8>());
    let time = prop_oneof![9 => 0..20_u16, 1 => 500..4_000_u16];
    let entries = (
        0..NODES.len(),
        prop_oneof![3 => 1..3_usize, 1 => 3..9_usize],
    );
    let strategy = (entries, proptest::collection::vec((choice, time), 1..80));
    let mut runner = proptest::test_runner::TestRunner::new(proptest::test_runner::Config {
        cases: cases(1_000),
        failure_persistence: None,
        ..Default::default()
    });
    let all = std::cell::RefCell::new(&mut seen);
    let result = runner.run(&strategy, |(entries, choices)| {
        run(entries, &choices, *all.borrow_mut());
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    // No action halts here, and the graph has no end.
    for transition in Transition::ALL {
        let reached = seen.contains_key(&transition);
        let never = matches!(transition, Transition::Halted | Transition::Succeeded);
        assert!(reached || never, "{transition} is never reached");
    }
}

#[test]
fn a_disallowed_event_is_a_typed_error_that_names_the_transition() {
    let mut run = Run::of(&["a1"], &[]);
    let control = run.control("a1");
    let refused = run.event(Event::Stopped { control });
    let Err(Rejection::Disallowed(disallowed)) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(disallowed.transition, Transition::AttemptSettled);
    assert_eq!(disallowed.sequence, run.sequence());
    assert!(disallowed.to_string().contains("attempt_settled"));
}
