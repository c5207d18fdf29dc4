//! A run with each kind of node, cut at every request: it comes to the same end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use millpond::ExecutionId;
use millpond::client::{App, EngineError};
use millpond::domain::Text;
use millpond_testing::{Injection, Rule, Verb, World};
use serde_json::{Value, json};

use super::world::{CallLog, Case, graph, ids, work};
use crate::machine::Decision;
use crate::run::{ControlMessage, Graphs, Request, Verb as Control, decide, snapshot};

fn key() -> ExecutionId {
    ExecutionId::keyed(&Text::parse("r").unwrap(), 0)
}

/// Each kind of node that runs have, both joins, a loop, a retry and a halt.
fn every() -> [Value; 2] {
    let item = graph(
        "item",
        &["x"],
        json!({"x": work(json!({"give": "state.a"})), "s": {"state": {"n": "2"}}}),
        json!(["x -> s"]),
    );
    let mut flaky = work(json!({"fail": 1}));
    flaky["retry"] = json!({"attempts": 2, "backoff": "5s"});
    let task = json!({"definition": "item", "input": {"a": "'one'"}, "reduce": {"n": "n"}});
    let map = json!({"over": "['x', 'y', 'z']", "definition": "item", "input": {"a": "item"},
        "reduce": {"a": "log"}, "limit": 2});
    let line = json!({"children": [{"definition": "item", "input": {"a": "'p'"}}, {"definition": "item"}],
        "reduce": {"n": "n"}});
    let nodes = json!({
        "one": work(json!({})), "two": work(json!({"wait": 10})), "flaky": flaky,
        "all": {"join_all": {}}, "count": {"state": {"n": "100"}}, "first": {"join_first": {}},
        "ask": {"input": {"message": "?", "target": "b"}}, "nap": {"sleep": "10m"},
        "child": {"child": task}, "each": {"map": map}, "line": {"pipeline": line},
        "stop": work(json!({"halt": true})), "end": work(json!({})),
    });
    let edges = json!([
        "one -> all", "two -> all", "flaky -> all", "all -> count",
        {"from": "count", "to": "one", "if": "state.n < 200"},
        {"from": "count", "to": "first", "else": true},
        "first -> ask", "first -> nap", "first -> child", "first -> each", "first -> line",
        "nap -> stop", "stop -> end",
    ]);
    [item, graph("g", &["one", "two", "flaky"], nodes, edges)]
}

/// What somebody does, again and again until it has worked.
type Act = fn(&Play, &World) -> bool;

const ACTS: [Act; 7] = [
    |play, world| {
        let start = play.graphs.start("g", Request::default()).unwrap().key("r");
        world.block(world.engine.start(start)).is_ok()
    },
    |_, world| skip(world, 0),
    |_, world| skip(world, 20),
    |_, world| {
        let shown = world.block(snapshot(&world.engine, key()));
        let Ok(Some(shown)) = shown else { return false };
        // The answer may have been taken by the run before the process died.
        let Some(asked) = shown.interactions.first() else {
            return true;
        };
        let answer = Decision::Answer(json!("yes"));
        fine(world, decide(asked.sequence, asked.generation, &answer))
    },
    |_, world| skip(world, 700),
    |_, world| {
        let verb = Control::Resume { bound: None };
        fine(
            world,
            ControlMessage {
                id: "resume".to_owned(),
                verb,
            }
            .signal(),
        )
    },
    |_, world| skip(world, 100),
];

fn skip(world: &World, seconds: u64) -> bool {
    world.skip(Duration::from_secs(seconds));
    true
}

fn fine(world: &World, signal: millpond::client::Signal) -> bool {
    let sent = world.block(world.engine.signal(key(), signal));
    matches!(sent, Ok(_) | Err(EngineError::TerminalExecution { .. }))
}

struct Play {
    graphs: Arc<Graphs>,
    calls: Arc<CallLog>,
    first: World,
}

/// How a play ended.
#[derive(Debug, PartialEq)]
struct End {
    state: Value,
    /// The frames of activations.
    frames: BTreeSet<String>,
}

/// Plays it with one request cut; also returns the operations, and how often each attempt was made.
fn play(cut: Option<(Injection, u64)>) -> (End, Vec<Verb>, BTreeMap<String, usize>) {
    let case = Case::new(every());
    let play = Play {
        graphs: Arc::clone(&case.graphs),
        calls: Arc::clone(&case.calls),
        first: case.world,
    };
    let process = |name: &str, seed| {
        let app = play.graphs.register(App::new());
        play.first.beside(app, name, seed)
    };
    let world = process("w10", 10);
    if let Some((injection, at)) = cut {
        world.faults.add(Rule::new(injection).at(at));
    }
    let mut at = 0;
    go_on(&play, &world, &mut at);
    let log = world.counting.log();
    let last = process("w11", 11);
    last.skip(Duration::from_secs(31));
    go_on(&play, &last, &mut at);
    assert_eq!(at, ACTS.len(), "an act never succeeds");
    last.skip(Duration::from_secs(3_000));
    let state = last.result(key()).expect("the run succeeds");
    let frames = last.block(last.engine.frames(key())).unwrap();
    let frames = ids(&frames)
        .into_iter()
        .filter(|id| id.starts_with("root/s"));
    let frames =
        frames.filter(|id| !id.starts_with("root/snapshot") && !id.starts_with("root/sleep"));
    let mut made = BTreeMap::new();
    for (_, key) in play.calls.places() {
        *made.entry(key).or_insert(0) += 1;
    }
    let end = End {
        state,
        frames: frames.collect(),
    };
    (
        end,
        log.into_iter().map(|request| request.verb).collect(),
        made,
    )
}

fn go_on(play: &Play, world: &World, at: &mut usize) {
    while let Some(act) = ACTS.get(*at) {
        let done = (0..3).any(|_| act(play, world));
        if !done || world.faults.is_dead() {
            return;
        }
        *at += 1;
    }
}

/// Cuts each request of some operations in one way: the process dies, or lives on.
fn cut(verbs: &[Verb], way: Injection) {
    let (uncut, requests, made) = play(None);
    assert_eq!(uncut.state["b"], "yes");
    assert!(made.values().all(|times| *times == 1), "{made:?}");
    let dies = matches!(way, Injection::Died | Injection::LandedAndDied);
    // An attempt under way is lost with its process.
    let most = if dies { 2 } else { 1 };
    for (at, verb) in (0..).zip(&requests) {
        if !verbs.contains(verb) {
            continue;
        }
        let (end, _, made) = play(Some((way, at)));
        assert_eq!(end, uncut, "cut at {at}");
        let often = made.values().all(|times| *times <= most);
        assert!(often, "cut at {at}: {made:?}");
    }
}

#[test]
fn e1_a_run_comes_to_the_same_end_if_its_process_dies_before_any_request() {
    cut(
        &[Verb::Read, Verb::List, Verb::Create, Verb::Replace],
        Injection::Died,
    );
}

#[test]
fn e1_a_run_comes_to_the_same_end_if_its_process_dies_after_any_change() {
    cut(
        &[Verb::Create, Verb::Replace, Verb::Delete],
        Injection::LandedAndDied,
    );
}

#[test]
fn e1_a_run_comes_to_the_same_end_if_the_reply_to_any_write_is_lost() {
    cut(&[Verb::Create, Verb::Replace], Injection::LandedReplyLost);
}

#[test]
fn e1_a_run_comes_to_the_same_end_if_any_read_fails() {
    cut(&[Verb::Read, Verb::List], Injection::NotSent);
}
