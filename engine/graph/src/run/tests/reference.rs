//! Random definitions whose work ends in random orders: a run comes to what the reference machine
//! says.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use millpond::StepError;
use millpond::client::App;
use millpond::ports::Clock;
use millpond_testing::World;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::definition::Definition;
use crate::frontier::ActivationId;
use crate::machine::tests::reference::{Input, Phase, Replay, definitions, replay};
use crate::machine::tests::run::{Run, broken, cases, done};
use crate::machine::{Ending, Event, Evidence, Open};
use crate::run::{Call, Graphs, Handlers, Request};
use crate::{Category, Limits};

fn limits() -> Limits {
    Limits {
        transitions: 40,
        supersteps: 12,
        frontier: 12,
        ..Limits::default()
    }
}

/// The same definition with expressions instead of the words of the toy rules, and with actions that
/// run in the worker.
fn real(toy: &Definition) -> Definition {
    let mut value = serde_json::to_value(toy).unwrap();
    for node in value["nodes"].as_object_mut().unwrap().values_mut() {
        if node.get("action").is_some() {
            node["run"] = json!("worker");
            node["writes"] = json!({"node": "log"});
        }
        if node.pointer("/state/log") == Some(&json!("fail")) {
            node["state"]["log"] = json!("[][0]");
        }
    }
    let edges = value.get_mut("edges").and_then(Value::as_array_mut);
    for edge in edges.into_iter().flatten() {
        let Some(word) = edge.get("if").and_then(Value::as_str) else {
            continue;
        };
        let cel = match word {
            "true" => "true".to_owned(),
            "false" | "result" => "false".to_owned(),
            "error" => "[][0] == 1".to_owned(),
            _ => {
                let (modulus, rest) = word.split_once(':').unwrap();
                format!("size(state.log) % {modulus} == {rest}")
            }
        };
        edge["if"] = json!(cel);
    }
    serde_json::from_value(value).unwrap()
}

/// How an attempt goes: how long it takes in nanoseconds, and how it ends.
fn plan(seed: u64, id: ActivationId, attempt: u64) -> (u64, u8) {
    let mut mixed = seed ^ (id.superstep << 40) ^ (id.rank << 20) ^ attempt;
    for _ in 0..3 {
        mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^= mixed >> 29;
    }
    let longest = if mixed.is_multiple_of(16) {
        15_000_000_000
    } else {
        3_000_000_000
    };
    (
        1 + (mixed >> 8) % longest,
        u8::try_from((mixed >> 4) % 16).unwrap(),
    )
}

/// What the end of an attempt is in both: 0 fails for good, 1 to 3 may be retried.
fn fails(how: u8) -> Option<bool> {
    match how {
        0 => Some(false),
        1..=3 => Some(true),
        _ => None,
    }
}

const START: u64 = 1_767_225_600_000; // the start of a world, 2026
const MILLI: u64 = 1_000_000;

/// Simulates the run by itself: the next thing that happens is always the next in time.
fn simulate(toy: &Arc<Definition>, seed: u64) -> Replay {
    let mut run = Run::begun(toy, limits(), START, |_| {});
    let mut history = vec![Input {
        now: START,
        event: None,
    }];
    let mut clock = START * MILLI;
    let mut ends: BTreeMap<u64, (u64, Event)> = BTreeMap::new();
    while !run.machine.checkpoint().phase.is_terminal() {
        let checkpoint = run.machine.checkpoint().clone();
        ends.retain(|control, _| run.machine.control(*control).is_some());
        for (slot, control) in &checkpoint.controls {
            let (activation, sequence) = (&checkpoint.frontier[*slot], control.sequence);
            if ends.contains_key(&sequence) {
                continue;
            }
            let event = |ending| Event::Ended {
                control: sequence,
                ending,
            };
            let end = match &control.open {
                Open::Attempt(attempt) if matches!(attempt.evidence, Evidence::Retry { .. }) => {
                    continue;
                }
                Open::Attempt(attempt) => {
                    let (takes, how) = plan(seed, activation.id, attempt.number);
                    let left = (control.deadline - run.now) * MILLI;
                    let ending = match fails(how) {
                        _ if takes > left => Ending::Failed {
                            category: Category::Timeout,
                            message: String::new(),
                            retryable: false,
                        },
                        Some(retryable) => broken(retryable),
                        None => done(activation.node.as_str()),
                    };
                    (clock + takes.min(left), event(ending))
                }
                _ => ((run.now + 60_000) * MILLI, event(done_nothing())),
            };
            ends.insert(sequence, end);
        }
        let next = ends.iter().map(|(control, (at, _))| (*at, *control)).min();
        let timer = run.machine.next_timer().map(|at| at * MILLI);
        match (next, timer) {
            (Some((at, control)), timer) if timer.is_none_or(|timer| at < timer) => {
                clock = clock.max(at);
                run.now = clock / MILLI;
                let (_, event) = ends.remove(&control).unwrap();
                history.push(Input {
                    now: run.now,
                    event: Some(event.clone()),
                });
                run.does(event);
                history.push(Input {
                    now: run.now,
                    event: None,
                });
            }
            (_, Some(timer)) => {
                clock = clock.max(timer);
                run.now = clock / MILLI;
                run.settle();
                history.push(Input {
                    now: run.now,
                    event: None,
                });
            }
            (None, None) | (Some(_), None) => panic!("nothing can happen: {:?}", checkpoint.phase),
        }
    }
    replay(toy, limits(), false, &history).0
}

fn done_nothing() -> Ending {
    Ending::Complete(crate::machine::Complete::of(Vec::new()))
}

/// Runs it on the engine.
fn play(toy: &Definition, seed: u64) -> Result<Value, (String, String)> {
    let clock: Arc<OnceLock<Arc<dyn Clock>>> = Arc::default();
    let own = Arc::clone(&clock);
    let handler = move |call: Call| {
        let clock = Arc::clone(&own);
        async move {
            let superstep = call.step.fid().to_string();
            let id = activation(&superstep);
            let (takes, how) = plan(seed, id, call.place.attempt);
            clock
                .get()
                .unwrap()
                .sleep(Duration::from_nanos(takes))
                .await;
            match fails(how) {
                Some(true) => Err(StepError::new("broken", "")),
                Some(false) => Err(StepError::new("broken", "").terminal()),
                None => Ok(json!({"node": call.place.node})),
            }
        }
    };
    let handlers = Handlers::new()
        .on("work", handler.clone())
        .on("pay", handler);
    let graphs = Graphs::new(handlers)
        .limits(limits())
        .with(real(toy))
        .unwrap();
    let graphs = Arc::new(graphs);
    let world = World::new(graphs.register(App::new()));
    assert!(
        clock
            .set(Arc::clone(&world.clock) as Arc<dyn Clock>)
            .is_ok()
    );
    let run = world
        .start(graphs.start("g", Request::default()).unwrap())
        .eid;
    world.skip(Duration::from_secs(3_600));
    world
        .outcome(run)
        .get()
        .map_err(|failure| (failure.kind, failure.message))
}

/// The activation of a step's frame, `root/s{superstep}/{node}-{rank}/do:{attempt}`.
fn activation(fid: &str) -> ActivationId {
    let mut parts = fid.split('/').skip(1);
    let superstep = parts.next().unwrap().trim_start_matches('s');
    let (_, rank) = parts.next().unwrap().rsplit_once('-').unwrap();
    format!("{superstep}.{rank}").parse().unwrap()
}

#[test]
fn e2_random_runs_on_the_engine_equal_those_of_the_reference_machine() {
    let kinds = prop_oneof![
        6 => Just('a'), 3 => Just('s'), 3 => Just('r'), 1 => Just('w'), 2 => Just('J'), 2 => Just('F'),
    ];
    let strategy = (definitions(kinds), any::<u64>());
    let mut runner = TestRunner::new(Config {
        cases: cases(120),
        failure_persistence: None,
        ..Config::default()
    });
    let ends = std::cell::RefCell::new(BTreeMap::<String, u32>::new());
    let result = runner.run(&strategy, |(toy, seed)| {
        let expected = simulate(&toy, seed);
        match (play(&toy, seed), expected.phase) {
            (Ok(state), Phase::Succeeded) => {
                prop_assert_eq!(state, json!(expected.state));
                *ends.borrow_mut().entry("succeeded".to_owned()).or_default() += 1;
            }
            (Err((kind, message)), Phase::Failed) => {
                let failure = expected.failure().unwrap();
                prop_assert_eq!(&kind, failure.category.name());
                let mut end = String::new();
                if let Some(node) = &failure.node {
                    end.push_str(&format!(": node={node}"));
                }
                if let Some(ordinal) = failure.ordinal {
                    end.push_str(&format!(", ordinal={ordinal}"));
                }
                prop_assert!(message.ends_with(&end), "{} {}", message, end);
                *ends.borrow_mut().entry(kind).or_default() += 1;
            }
            (played, phase) => prop_assert!(false, "{:?} {:?}", played, phase),
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    // Cases that do not reach everything would prove little.
    let ends = ends.into_inner();
    for end in ["succeeded", "action", "timeout", "limit"] {
        assert!(ends.contains_key(end), "{end} is never reached: {ends:?}");
    }
}
