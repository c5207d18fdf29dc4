//! Supersteps, conditions, order, price, and what a handler receives.

use serde_json::{Value, json};

use super::world::{Case, definition, graph, handlers, ids, work};
use crate::run::{GraphError, Graphs, Request, StartError};

#[test]
fn a_run_of_actions_states_and_conditions_ends_with_its_state() {
    let nodes = json!({
        "draft": work(json!({"give": "'draft ' + string(state.n)"})),
        "count": {"state": {"n": "1"}},
        "send": work(json!({})),
    });
    let edges = json!([
        "draft -> count",
        {"from": "count", "to": "draft", "if": "state.n < 3"},
        {"from": "count", "to": "send", "else": true},
    ]);
    let case = Case::new([graph("g", &["draft"], nodes, edges)]);
    let state = case.run("g").unwrap();
    let log = ["draft", "draft", "draft", "send"];
    assert_eq!(state, json!({"log": log, "n": 3}));
    assert_eq!(case.calls.begun(), log);
}

#[test]
fn s1_all_ready_activations_begin_before_a_barrier_and_read_the_state_before_it() {
    let each = |name: &str| {
        let mut node = work(json!({"wait": 10, "give": "size(state.log)"}));
        node["writes"] = json!({"got": name, "node": "log"});
        node
    };
    let nodes = json!({"x": each("a"), "y": each("b"), "z": work(json!({}))});
    let case = Case::new([graph("g", &["x", "y"], nodes, json!(["x -> z"]))]);
    let state = case.run("g").unwrap();
    assert_eq!(state["a"], 0);
    assert_eq!(state["b"], 0, "never the contribution of a sibling");
    assert_eq!(case.calls.begun(), ["x", "y", "z"]);
    let places = case.calls.places();
    let base: Vec<_> = places.iter().map(|(place, _)| place.base).collect();
    assert_eq!(base[0], 0);
    assert!(base[0] == base[1] && base[1] < base[2], "{base:?}");
}

/// All orders of `items`.
fn orders(items: &[u64]) -> Vec<Vec<u64>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, first) in items.iter().enumerate() {
        let mut rest = items.to_vec();
        rest.remove(at);
        for mut order in orders(&rest) {
            order.insert(0, *first);
            all.push(order);
        }
    }
    all
}

#[test]
fn s2_contributions_follow_the_order_of_the_frontier_in_whatever_order_work_ends() {
    let names = ["e", "d", "c", "b", "a"];
    for order in orders(&[1, 2, 3, 4, 5]) {
        let nodes: serde_json::Map<_, _> = names
            .iter()
            .zip(&order)
            .map(|(name, wait)| ((*name).to_owned(), work(json!({"wait": wait}))))
            .collect();
        let case = Case::new([graph("g", &names, nodes.into(), json!([]))]);
        let state = case.run("g").unwrap();
        assert_eq!(state["log"], json!(["a", "b", "c", "d", "e"]));
        let mut ended: Vec<_> = names.iter().zip(&order).collect();
        ended.sort_by_key(|(_, wait)| **wait);
        let ended: Vec<_> = ended
            .into_iter()
            .map(|(name, _)| (*name).to_owned())
            .collect();
        assert_eq!(case.calls.ended(), ended);
    }
}

#[test]
fn s2_the_failure_that_is_first_in_order_is_reported() {
    let nodes = json!({
        "late": work(json!({"wait": 10})),
        "a": work(json!({"wait": 5, "fail": 9})),
        "b": work(json!({"wait": 1, "fail": 9})),
    });
    let case = Case::new([graph("g", &["late", "a", "b"], nodes, json!([]))]);
    let failed = case.run("g").unwrap_err();
    assert_eq!(failed, "action: broken: attempt 1: node=a, ordinal=0");
    assert_eq!(
        case.calls.ended(),
        ["b", "a", "late"],
        "steps run to their end"
    );
}

#[test]
fn s8_a_run_with_several_entries_ends_once_no_path_is_left() {
    let nodes = json!({"x": work(json!({})), "y": work(json!({})), "z": work(json!({}))});
    let case = Case::new([graph("g", &["x", "y"], nodes, json!(["y -> z"]))]);
    assert_eq!(case.run("g").unwrap()["log"], json!(["x", "y", "z"]));
}

#[test]
fn s5_conditions_read_the_result_of_their_source() {
    let nodes = json!({
        "x": work(json!({"give": 7})),
        "y": work(json!({})), "z": work(json!({})),
    });
    let edges = json!([
        {"from": "x", "to": "y", "if": "result.got == 7"},
        {"from": "x", "to": "z", "if": "result.got == 8"},
    ]);
    let case = Case::new([graph("g", &["x"], nodes, edges)]);
    assert_eq!(case.run("g").unwrap()["log"], json!(["x", "y"]));
}

/// A chain of `n` actions, each followed by a state node.
fn chain(n: usize) -> Value {
    let (mut nodes, mut edges) = (serde_json::Map::new(), Vec::new());
    for at in 0..n {
        nodes.insert(format!("a{at:03}"), work(json!({})));
        nodes.insert(format!("s{at:03}"), json!({"state": {"n": "1"}}));
        edges.push(json!(format!("a{at:03} -> s{at:03}")));
        if at + 1 < n {
            edges.push(
                json!({"from": format!("s{at:03}"), "to": format!("a{:03}", at + 1),
                "if": "state.n > 0"}),
            );
        }
    }
    graph("g", &["a000"], nodes.into(), edges.into())
}

#[test]
fn e3_n_sequential_actions_cost_n_plus_5_write_requests_and_states_and_conditions_none() {
    for n in [1, 5, 40] {
        let case = Case::new([chain(n)]);
        let (run, counts) = case.world.counted(|_| {
            let run = case.start("g", json!({}));
            case.world.run_all();
            run
        });
        let state: Value = case.world.result(run).unwrap();
        assert_eq!(state["n"], n);
        assert_eq!(
            (counts.write_requests(), counts.read_requests()),
            (n as u64 + 5, 2),
            "{n}"
        );
    }
}

#[test]
fn e3_a_fan_out_is_begun_by_one_commit() {
    let names: Vec<String> = (0..20).map(|at| format!("a{at:02}")).collect();
    let entry: Vec<&str> = names.iter().map(String::as_str).collect();
    let nodes: serde_json::Map<_, _> = names
        .iter()
        .map(|name| (name.clone(), work(json!({}))))
        .collect();
    let case = Case::new([graph("g", &entry, nodes.into(), json!([]))]);
    let ((), counts) = case.world.counted(|_| {
        case.start("g", json!({}));
        case.world.run_all();
    });
    assert_eq!((counts.write_requests(), counts.read_requests()), (6, 2));
}

#[test]
fn s9_state_nodes_have_no_frames() {
    let nodes = json!({
        "x": {"state": {"n": "1"}}, "y": {"state": {"n": "state.n + 1"}},
    });
    let case = Case::new([graph("g", &["x"], nodes, json!(["x -> y"]))]);
    let run = case.start("g", json!({}));
    case.world.run_all();
    assert_eq!(case.world.result::<Value>(run).unwrap()["n"], 3);
    let ids = ids(&case.frames(run));
    assert!(ids.iter().all(|id| id.starts_with("root/now")), "{ids:?}");
}

#[test]
fn x4_a_handler_receives_its_place_in_loops_and_over_attempts() {
    let mut x = work(json!({"fail": 1}));
    x["retry"] = json!({"attempts": 2, "backoff": "1s"});
    let nodes = json!({"x": x, "c": {"state": {"n": "1"}}});
    let edges = json!(["x -> c", {"from": "c", "to": "x", "if": "state.n < 2"}]);
    let value = graph("g", &["x"], nodes, edges);
    let case = Case::new([value.clone()]);
    let run = case.start("g", json!({}));
    case.world.skip(std::time::Duration::from_secs(60));
    assert!(case.world.result::<Value>(run).is_ok());
    let places = case.calls.places();
    let seen: Vec<_> = places
        .iter()
        .map(|(place, _)| (place.attempt, place.ordinal))
        .collect();
    assert_eq!(seen, [(1, 0), (2, 0), (1, 2), (2, 2)]);
    for (place, _) in &places {
        assert_eq!((place.run, place.parent), (run, None));
        assert_eq!(place.definition.as_str(), "g");
        assert_eq!(place.revision, definition(value.clone()).revision());
    }
    let keys: std::collections::BTreeSet<_> = places.iter().map(|(_, key)| key).collect();
    assert_eq!(keys.len(), 4, "each attempt has a key of its own");
}

#[test]
fn d3_a_run_keeps_its_revision_and_a_later_start_has_a_newer_one() {
    let one = graph("g", &["x"], json!({"x": work(json!({}))}), json!([]));
    let two = graph("g", &["y"], json!({"y": work(json!({}))}), json!([]));
    let case = Case::new([one.clone(), two]);
    let state = case.run("g").unwrap();
    assert_eq!(state["log"], json!(["y"]));
    let named = Request::default().revision(definition(one).revision());
    let run = case.request("g", named);
    case.world.run_all();
    assert_eq!(
        case.world.result::<Value>(run).unwrap()["log"],
        json!(["x"])
    );
}

fn refused(nodes: Value) -> String {
    let graphs = Graphs::new(handlers(&std::sync::Arc::default()));
    let entry = nodes.as_object().unwrap().keys().next().unwrap().clone();
    let added = graphs.with(definition(graph("g", &[&entry], nodes, json!([]))));
    added.expect_err("it is refused").to_string()
}

#[test]
fn what_runs_do_not_have_yet_is_refused_when_a_definition_is_added() {
    let tasks = refused(json!({"x": {"action": "work"}}));
    assert!(tasks.contains("node=x, part=run: task"), "{tasks}");
    let agents = refused(json!({"x": {"agent": "writer", "prompt": "?"}}));
    assert!(agents.contains("part=agent"), "{agents}");
    let sealed = refused(json!({"x": {"action": "work", "run": "worker", "inputs": ["pin"]}}));
    assert!(sealed.contains("part=inputs"), "{sealed}");
    let once =
        json!({"action": "work", "run": "worker", "at_most_once": true, "reconcile": "find"});
    assert!(refused(json!({"x": once})).contains("part=reconcile"));
    let init = json!({"definition": "g", "init": {"from": "'r'"}});
    assert!(refused(json!({"x": {"child": init}})).contains("part=init"));
    let history = json!({"definition": "g", "history": "delete_after_reduction"});
    assert!(refused(json!({"x": {"child": history}})).contains("part=history"));
    let handler = refused(json!({"x": {"action": "none", "run": "worker"}}));
    assert!(handler.contains("node=x, handler=none"), "{handler}");
}

#[test]
fn a_definition_is_added_once() {
    let value = graph("g", &["x"], json!({"x": work(json!({}))}), json!([]));
    let graphs = Graphs::new(handlers(&std::sync::Arc::default()));
    let graphs = graphs.with(definition(value.clone())).unwrap();
    let again = graphs.with(definition(value));
    assert!(matches!(again, Err(GraphError::Twice { .. })));
}

#[test]
fn s4_a_start_that_does_not_fit_writes_nothing() {
    let mut value = graph("g", &["x"], json!({"x": work(json!({}))}), json!([]));
    value["state"]["a"] = json!({"schema": {"type": "string"}});
    value["input"] = json!({"required": ["a"]});
    let case = Case::new([value]);
    let start = |input: Value| {
        let request = Request::input(input.as_object().unwrap());
        case.graphs.start("g", request)
    };
    let missing = start(json!({})).unwrap_err().to_string();
    assert!(missing.contains("key=a"), "{missing}");
    let wrong = start(json!({"a": 1})).unwrap_err().to_string();
    assert!(wrong.contains("path=\"/a\""), "{wrong}");
    assert!(matches!(
        start(json!({"a": "x", "b": 1})),
        Err(StartError::Input(_))
    ));
    assert!(matches!(
        case.graphs.start("h", Request::default()),
        Err(StartError::Unknown(_))
    ));
    assert_eq!(case.world.memory.len(), 0);
}
