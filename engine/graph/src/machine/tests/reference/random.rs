//! Random definitions and histories: both machines come to the same.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::super::run::{Run, broken, cases, done, graph};
use super::replay::{Failure, Input, Phase, Replay, Staged, replay};
use crate::definition::{Definition, NodeId, StateKey};
use crate::machine::{
    Admission, Bound, Checkpoint, Complete, Decision, Ending, Event, Evidence, Handled, Open,
    Phase as MachinePhase, Resolution, Staged as MachineStaged,
};
use crate::{Category, Limits};

/// Every kind of node that a definition of [`definitions`] may have, as often as it has it.
fn all() -> impl Strategy<Value = char> {
    prop_oneof![
        6 => Just('a'), 3 => Just('s'), 2 => Just('r'), 1 => Just('i'), 1 => Just('w'),
        1 => Just('c'), 3 => Just('J'), 3 => Just('F'),
    ]
}

/// A definition: kinds of nodes, entries, edges with conditions.
pub(crate) fn definitions(
    kinds: impl Strategy<Value = char>,
) -> impl Strategy<Value = Arc<Definition>> {
    let word = prop_oneof![
        8 => Just(None), 2 => Just(Some("2:0")), 2 => Just(Some("2:1")), 2 => Just(Some("3:1")),
        1 => Just(Some("result")), 2 => Just(Some("else")), 1 => Just(Some("false")),
    ];
    let edges = proptest::collection::vec((0..64_usize, 0..64_usize, word), 0..16);
    let rare = (0..40_u8, 0..40_u8);
    (
        proptest::collection::vec(kinds, 2..8),
        1..4_usize,
        edges,
        rare,
    )
        .prop_map(|(kinds, entries, edges, (fails, errs))| {
            let name = |(index, kind): (usize, &char)| format!("{kind}{index}");
            let mut nodes: Vec<String> = kinds.iter().enumerate().map(name).collect();
            if fails == 0 {
                nodes.push("x9".to_owned());
            }
            let entry: Vec<&str> = nodes.iter().take(entries).map(String::as_str).collect();
            let mut names = Vec::new();
            for (index, (from, to, word)) in edges.into_iter().enumerate() {
                let edge = format!("{}->{}", nodes[from % nodes.len()], nodes[to % nodes.len()]);
                // A condition belongs to all edges of these two nodes, so each pair comes once.
                if names.iter().all(|(other, _)| *other != edge) {
                    let errs = errs == 0 && index == 0;
                    names.push((edge, if errs { Some("error") } else { word }));
                }
            }
            let edges: Vec<&str> = names.iter().map(|(edge, _)| edge.as_str()).collect();
            let words = names
                .iter()
                .filter_map(|(edge, word)| Some((edge.as_str(), (*word)?)));
            graph(&entry, &edges, &words.collect::<Vec<_>>())
        })
}

/// A choice that becomes an event which fits the run.
type Choice = (u8, u8, u8);

fn ending(node: &str, what: u8) -> Ending {
    let (most, log) = (
        StateKey::parse("most").unwrap(),
        StateKey::parse("log").unwrap(),
    );
    let complete = |change: &dyn Fn(&mut Complete)| match done(node) {
        Ending::Complete(mut complete) => {
            change(&mut complete);
            Ending::Complete(complete)
        }
        failed => failed,
    };
    match what % 24 {
        0 => broken(false),
        1..=3 => broken(true),
        4 => complete(&|complete| complete.halt = true),
        5 => complete(&|complete| complete.contributions = vec![(most.clone(), json!(10))]),
        6 => complete(&|complete| complete.contributions.push((most.clone(), json!(3)))),
        7 => complete(&|complete| complete.contributions.push((log.clone(), json!("more")))),
        8..=11 => complete(&|complete| complete.result = Arc::new(json!(true))),
        _ => done(node),
    }
}

fn event(run: &Run, (what, which, how): Choice) -> Option<Event> {
    let checkpoint = run.machine.checkpoint();
    let open: Vec<_> = checkpoint.controls.iter().collect();
    match what {
        0..=59 => {
            let (slot, control) = *open.get(usize::from(which) % open.len().max(1))?;
            let node = checkpoint.frontier[*slot].node.as_str();
            let control = control.sequence;
            if node.starts_with('i') && how < 250 {
                let decision = Decision::Answer(json!(how));
                let (sequence, generation) = (control, 0);
                return Some(Event::Resolve(Resolution {
                    sequence,
                    generation,
                    decision,
                }));
            }
            if checkpoint.phase.is_stopping() && node.starts_with('c') {
                return Some(Event::Stopped { control });
            }
            Some(Event::Ended {
                control,
                ending: ending(node, how),
            })
        }
        // A control that may be gone.
        60..=63 => Some(Event::Ended {
            control: u64::from(how),
            ending: done("a0"),
        }),
        64 => Some(Event::Stopped {
            control: u64::from(how),
        }),
        65 => {
            let (sequence, generation) = (u64::from(how), 0);
            let decision = Decision::Answer(json!(which));
            Some(Event::Resolve(Resolution {
                sequence,
                generation,
                decision,
            }))
        }
        66..=69 => Some(Event::Pause),
        70..=77 => Some(Event::Resume(match how % 4 {
            0 => Some(Bound::Supersteps(
                NonZeroU64::new(u64::from(which % 3) + 1).unwrap(),
            )),
            1 => checkpoint
                .frontier
                .first()
                .map(|act| Bound::Before(act.node.clone())),
            _ => None,
        })),
        78 => Some(Event::Cancel(Some(u64::from(how)))),
        79 => Some(Event::Cancel(if how % 2 == 0 {
            None
        } else {
            Some(checkpoint.sequence)
        })),
        80..=85 => Some(Event::Retried(if how % 4 == 0 {
            Some(u64::from(which))
        } else {
            None
        })),
        86 if how < 60 => Some(Event::Fail {
            category: Category::Hook,
            message: "registered".into(),
            activation: None,
        }),
        _ => None,
    }
}

/// What a machine shows, in a form that both can give.
fn shown(checkpoint: &Checkpoint) -> Value {
    let frontier = &checkpoint.frontier;
    let act = |act: &Arc<crate::frontier::Activation>| {
        let parents: Vec<_> = act
            .parents
            .iter()
            .map(|id| (id.superstep, id.rank))
            .collect();
        json!([
            act.node,
            (act.id.superstep, act.id.rank),
            parents,
            *act.visits
        ])
    };
    let staged = |(slot, staged): (&usize, &MachineStaged)| {
        let node = &frontier[*slot].node;
        match staged {
            MachineStaged::Complete(complete) => {
                let given = &complete.contributions;
                json!([
                    node,
                    frontier[*slot].id.rank,
                    given,
                    *complete.result,
                    complete.halt
                ])
            }
            MachineStaged::Failed(failure) => json!([
                node,
                frontier[*slot].id.rank,
                failure.category.name(),
                failure.node,
                failure.ordinal
            ]),
        }
    };
    let control = |(slot, control): (&usize, &crate::machine::Control)| {
        let (number, wake) = match &control.open {
            Open::Attempt(attempt) => match attempt.evidence {
                Evidence::Retry { wake, .. } => (attempt.number, Some(wake)),
                _ => (attempt.number, None),
            },
            _ => (1, None),
        };
        json!([frontier[*slot].node, control.sequence, number, wake])
    };
    let (phase, sources) = match &checkpoint.phase {
        MachinePhase::Active => ("Active", None),
        MachinePhase::Routing { sources } => {
            let source =
                |source: &crate::machine::Source| json!([act(&source.activation), *source.result]);
            (
                "Routing",
                Some(sources.iter().map(source).collect::<Vec<_>>()),
            )
        }
        MachinePhase::Failing { .. } => ("Failing", None),
        MachinePhase::Cancelling { .. } => ("Cancelling", None),
        MachinePhase::Succeeded => ("Succeeded", None),
        MachinePhase::Failed { .. } => ("Failed", None),
        MachinePhase::Cancelled { .. } => ("Cancelled", None),
    };
    let failure = checkpoint.phase.failure();
    let failure = failure.map(|it| json!([it.category.name(), it.node, it.ordinal]));
    let admission = match &checkpoint.admission {
        Admission::Background => "background".to_owned(),
        Admission::Prepared => "prepared".to_owned(),
        Admission::Halted { node, result } => format!("halted {node} {result}"),
    };
    let outcomes = checkpoint.outcomes.iter();
    let outcomes = outcomes.map(|it| json!([it.node, it.ordinal, *it.result]));
    json!({
        "sequence": checkpoint.sequence,
        "superstep": checkpoint.superstep,
        "base": checkpoint.base,
        "state": *checkpoint.state,
        "frontier": frontier.iter().map(act).collect::<Vec<_>>(),
        "settled": *checkpoint.settled_joins,
        "staged": checkpoint.staged.iter().map(staged).collect::<Vec<_>>(),
        "open": checkpoint.controls.iter().map(control).collect::<Vec<_>>(),
        "phase": phase,
        "sources": sources,
        "failure": failure,
        "cancel": checkpoint.phase.cancel(),
        "admission": admission,
        "position": checkpoint.position.as_ref().map(|it| json!([it.node, it.ordinal])),
        "outcomes": outcomes.collect::<Vec<_>>(),
    })
}

/// The same of the reference.
fn expected(run: &Replay) -> Value {
    let act = |act: &super::shape::Act| json!([act.node, act.id, act.parents, act.visits]);
    let staged = |((node, id), staged): (&(String, (u64, u64)), &Staged)| match staged {
        Staged::Done {
            given,
            result,
            halt,
        } => json!([node, id.1, given, result, halt]),
        Staged::Failed(Failure {
            category,
            node: of,
            ordinal,
        }) => {
            json!([node, id.1, category.name(), of, ordinal])
        }
    };
    let open = run.open.iter();
    let open = open.map(|((node, _), it)| json!([node, it.sequence, it.attempt, it.wake]));
    let routing = run.phase == Phase::Routing;
    let sources = run
        .sources
        .iter()
        .map(|(of, result)| json!([act(of), result]));
    let stopped = matches!(run.phase, Phase::Failing | Phase::Failed);
    let failure = run.failure().filter(|_| stopped);
    let failure = failure.map(|it| json!([it.category.name(), it.node, it.ordinal]));
    json!({
        "sequence": run.sequence(),
        "superstep": run.superstep,
        "base": run.base,
        "state": run.state,
        "frontier": run.frontier.iter().map(act).collect::<Vec<_>>(),
        "settled": run.settled,
        "staged": run.staged.iter().map(staged).collect::<Vec<_>>(),
        "open": open.collect::<Vec<_>>(),
        "phase": format!("{:?}", run.phase),
        "sources": routing.then(|| sources.collect::<Vec<_>>()),
        "failure": failure,
        "cancel": run.cancel,
        "admission": run.admission,
        "position": run.position.as_ref().map(|(node, ordinal)| json!([node, ordinal])),
        "outcomes": run.outcomes.iter().map(|it| json!([it.0, it.1, it.2])).collect::<Vec<_>>(),
    })
}

fn limits() -> Limits {
    Limits {
        transitions: 40,
        supersteps: 30,
        frontier: 12,
        ..Limits::default()
    }
}

/// How runs of the random test ended, so that a test can require that each end happens.
type Ends = BTreeMap<String, u32>;

fn compare(
    definition: &Arc<Definition>,
    prepared: bool,
    choices: &[(Choice, u16)],
    ends: &mut Ends,
) -> Result<(), TestCaseError> {
    let mut run = Run::with(definition, limits(), |start| start.prepared = prepared);
    let mut history = vec![Input {
        now: run.now,
        event: None,
    }];
    let mut handled = Vec::new();
    for (choice, millis) in choices {
        run.now += u64::from(*millis);
        run.settle();
        history.push(Input {
            now: run.now,
            event: None,
        });
        let Some(event) = event(&run, *choice) else {
            continue;
        };
        history.push(Input {
            now: run.now,
            event: Some(event.clone()),
        });
        handled.push(match run.event(event) {
            Ok(Handled::Moved(_)) => Some("moved"),
            Ok(Handled::Already { .. }) => Some("already"),
            Ok(Handled::Late) => Some("late"),
            Ok(other) => panic!("no agent is in the graph: {other:?}"),
            Err(_) => None,
        });
        // The reference computes everything again for each question, so every third is enough.
        if handled.len() % 3 == 0 {
            same(&run, definition, prepared, &history, &handled)?;
        }
    }
    same(&run, definition, prepared, &history, &handled)?;
    let again = again(definition, prepared, &history, &run);
    prop_assert_eq!(&again.steps, &run.steps);
    prop_assert_eq!(again.machine.checkpoint(), run.machine.checkpoint());
    for step in &run.steps {
        *ends.entry(step.transition.name().to_owned()).or_insert(0) += 1;
    }
    if let Some(failure) = run.machine.checkpoint().phase.failure() {
        *ends.entry(failure.category.name().to_owned()).or_insert(0) += 1;
    }
    Ok(())
}

fn same(
    run: &Run,
    definition: &Arc<Definition>,
    prepared: bool,
    history: &[Input],
    handled: &[Option<&'static str>],
) -> Result<(), TestCaseError> {
    let (reference, known) = replay(definition, limits(), prepared, history);
    let names: Vec<_> = run
        .steps
        .iter()
        .map(|step| step.transition.name())
        .collect();
    prop_assert_eq!(&names, &reference.names);
    prop_assert_eq!(handled, &known[..]);
    prop_assert_eq!(shown(run.machine.checkpoint()), expected(&reference));
    Ok(())
}

/// Replays a history at the times at which something happened, and at no other.
fn again(definition: &Arc<Definition>, prepared: bool, history: &[Input], first: &Run) -> Run {
    let mut run = Run::with(definition, limits(), |start| start.prepared = prepared);
    for input in history {
        let before = run.steps.len();
        let timer = run.machine.next_timer();
        if input.event.is_some() || timer.is_some_and(|at| at <= input.now) {
            run.now = input.now;
            run.settle();
        }
        if let Some(event) = &input.event {
            let _ = run.event(event.clone());
        }
        assert!(run.steps.len() >= before && run.steps.len() <= first.steps.len());
    }
    run
}

#[test]
fn e2_random_runs_equal_those_of_the_reference_machine_and_their_own_replay() {
    let time = prop_oneof![5 => 0..50_u16, 2 => 50..2_500_u16, 2 => 2_500..6_000_u16];
    let choice = (0..90_u8, any::<u8>(), any::<u8>());
    let choices = proptest::collection::vec((choice, time), 1..30);
    let strategy = (definitions(all()), prop::bool::weighted(0.1), choices);
    let mut runner = TestRunner::new(Config {
        cases: cases(2_000),
        failure_persistence: None,
        ..Config::default()
    });
    let ends = std::cell::RefCell::new(Ends::new());
    let result = runner.run(&strategy, |(definition, prepared, choices)| {
        compare(&definition, prepared, &choices, &mut ends.borrow_mut())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    // Cases that do not reach everything would prove little.
    let ends = ends.into_inner();
    let reached = [
        "park",
        "stage",
        "resolve",
        "retry",
        "retry_ready",
        "failing",
        "barrier",
        "routed",
        "paused",
        "resumed",
        "halted",
        "cancel_intent",
        "attempt_settled",
        "succeeded",
        "failed",
        "cancelled",
        "failed_retry",
        "evaluation",
        "state",
        "action",
        "hook",
        "timeout",
        "limit",
    ];
    for name in reached {
        assert!(
            ends.get(name).is_some_and(|count| *count > 0),
            "{name} is never reached: {ends:?}"
        );
    }
}

#[test]
fn both_machines_agree_on_a_loop_with_a_join() {
    let edges = ["a0->J1", "a0->a2", "a2->J1", "J1->a0"];
    let definition = graph(&["a0"], &edges, &[("J1->a0", "2:0")]);
    let mut run = Run::with(&definition, limits(), |_| {});
    let mut history = vec![Input {
        now: run.now,
        event: None,
    }];
    for node in ["a0", "a2", "a0"] {
        let control = run.control(node);
        let event = Event::Ended {
            control,
            ending: done(node),
        };
        history.push(Input {
            now: run.now,
            event: Some(event.clone()),
        });
        run.does(event);
    }
    let (reference, _) = replay(&definition, limits(), false, &history);
    assert_eq!(expected(&reference), shown(run.machine.checkpoint()));
    assert_eq!(run.nodes(), ["J1", "a2"]);
    assert!(
        NodeId::parse("J1")
            .is_ok_and(|join| run.machine.checkpoint().frontier[0].visit(&join) == 2)
    );
}
