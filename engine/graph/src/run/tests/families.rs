//! Child, map and pipeline.

use std::time::Duration;

use millpond::ExecutionId;
use millpond::client::Frame;
use millpond::domain::Status;
use serde_json::{Value, json};

use super::world::{Case, definition, graph, work};
use crate::run::{Request, Verb};

/// A child that works for `b` milliseconds, fails if `a` is "bad", and gives its `a`.
fn item() -> Value {
    let nodes = json!({
        "x": work(json!({"wait": "has(state.b) ? state.b : 0", "give": "state.a",
            "fail": "state.a == 'bad' ? 1 : 0"})),
    });
    graph("item", &["x"], nodes, json!([]))
}

fn parent(node: Value) -> Value {
    graph("g", &["c"], json!({"c": node}), json!([]))
}

fn children(case: &Case, run: ExecutionId) -> Vec<Frame> {
    fn walk(frame: &Frame, all: &mut Vec<Frame>) {
        if frame.child.is_some() {
            all.push(frame.clone());
        }
        frame.frames.iter().for_each(|below| walk(below, all));
    }
    let mut all = Vec::new();
    walk(&case.frames(run), &mut all);
    all
}

#[test]
fn h1_a_child_is_an_execution_of_the_pinned_revision_whose_state_is_reduced() {
    let child = json!({"child": {"definition": "item", "input": {"a": "'left'"}, "reduce": {"a": "a", "log.0": "log"}}});
    let case = Case::new([item(), parent(child.clone())]);
    let run = case.start("g", json!({}));
    // A revision that is added later changes nothing in a run that has started.
    let mut newer = item();
    newer["doc"] = json!("newer");
    let later = case.beside([item(), newer, parent(child)]);
    later.world.run_all();
    let state: Value = case.world.result(run).unwrap();
    assert_eq!(state, json!({"a": "left", "log": ["x"], "n": 0}));
    let frames = children(&case, run);
    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0].fid.to_string(), "root/s0/c-0/item:0");
    let child = frames[0].child.unwrap();
    let record = case
        .world
        .block(case.world.engine.execution(child))
        .unwrap();
    assert_eq!(
        record.record.version,
        definition(item()).revision().as_str()
    );
    let places = later.calls.places();
    assert_eq!((places[0].0.run, places[0].0.parent), (child, Some(run)));
}

fn case_child() -> Value {
    json!({"child": {"definition": "item"}})
}

#[test]
fn h1_a_missing_path_fails_and_a_failure_of_a_child_is_named() {
    let missing =
        json!({"child": {"definition": "item", "input": {"a": "'x'"}, "reduce": {"b": "a"}}});
    let failed = Case::new([item(), parent(missing)]).run("g").unwrap_err();
    assert!(failed.starts_with("evaluation: "), "{failed}");
    let bad = json!({"child": {"definition": "item", "input": {"a": "'bad'"}}});
    let failed = Case::new([item(), parent(bad)]).run("g").unwrap_err();
    assert_eq!(
        failed,
        "child: a child failed: action: broken: attempt 1: node=x, ordinal=0: key=0, definition=item: \
         node=c, ordinal=0"
    );
    let mut strict = item();
    strict["input"] = json!({"required": ["b"]});
    let failed = Case::new([strict, parent(case_child())])
        .run("g")
        .unwrap_err();
    assert!(
        failed.starts_with("evaluation: invalid input of a child: "),
        "{failed}"
    );
}

#[test]
fn h1_runs_nest_no_deeper_than_the_limit() {
    let own = json!({"child": {"definition": {"cel": "'g'"}}});
    let case = Case::limited([parent(own)], |limits| limits.depth = 3);
    let failed = case.run("g").unwrap_err();
    assert_eq!(failed.matches("a child failed").count(), 3, "{failed}");
    assert!(
        failed.contains("limit: the limit of depth is exceeded: found=4, most=3"),
        "{failed}"
    );
}

#[test]
fn h2_a_map_reduces_in_order_of_index_and_keeps_its_limit() {
    let map = json!({"map": {"over": "[30, 20, 10, 0]", "definition": "item", "limit": 2,
        "input": {"a": "index", "b": "item"}, "reduce": {"a": "log"}}});
    let case = Case::new([item(), parent(map)]);
    let run = case.start("g", json!({}));
    case.world.run(run).unwrap();
    assert_eq!(children(&case, run).len(), 2, "two at once");
    case.world.run_all();
    let state: Value = case.world.result(run).unwrap();
    assert_eq!(state["log"], json!([0, 1, 2, 3]));
    assert_eq!(children(&case, run).len(), 4);
}

#[test]
fn h2_after_a_failure_no_further_child_begins_and_the_others_run_to_their_end() {
    let tasks = "[{'workflow': 'item', 'key': 'bad', 'input': {'a': 'bad'}}, \
                  {'workflow': 'nap', 'key': 'nap', 'input': {}}, \
                  {'workflow': 'item', 'key': 'late', 'input': {'a': 'x'}}]";
    let map = json!({"map": {"tasks": tasks, "limit": 2, "reduce": {}}});
    let [nap, ..] = sleepers();
    let case = Case::new([item(), nap, parent(map)]);
    let run = case.start("g", json!({}));
    case.world.run_all();
    assert!(
        !case.world.status(run).is_terminal(),
        "the others are awaited"
    );
    case.world.skip(Duration::from_secs(1_900));
    let failed = case.world.result::<Value>(run).unwrap_err();
    assert!(
        failed.starts_with("child: a child failed: action: ") && failed.contains("key=bad"),
        "{failed}"
    );
    let ended: Vec<_> = children(&case, run)
        .iter()
        .map(|frame| case.world.status(frame.child.unwrap()))
        .collect();
    assert_eq!(ended, [Status::Failed, Status::Completed]);
}

#[test]
fn h2_tasks_name_their_definitions_and_keys_and_an_empty_list_is_complete_at_once() {
    let tasks = "[{'workflow': 'item', 'key': 'one', 'input': {'a': 1}}, \
                  {'workflow': 'item', 'key': 'two', 'input': {'a': 2}}]";
    let map = |tasks: &str| json!({"map": {"tasks": tasks, "reduce": {"a": "log"}}});
    let case = Case::new([item(), parent(map(tasks))]);
    let run = case.start("g", json!({}));
    case.world.run_all();
    assert_eq!(
        case.world.result::<Value>(run).unwrap()["log"],
        json!([1, 2])
    );
    assert_eq!(
        children(&case, run)[1].fid.to_string(),
        "root/s0/c-0/item:two"
    );
    assert_eq!(
        Case::new([parent(map("[]"))]).run("g").unwrap()["log"],
        json!([])
    );
    let twice = tasks.replace("two", "one");
    let failed = Case::new([item(), parent(map(&twice))])
        .run("g")
        .unwrap_err();
    assert!(
        failed.starts_with("evaluation: two tasks of the list have the same key"),
        "{failed}"
    );
    let sealed = "[{'workflow': 'item', 'key': 'one', 'input': {}, 'inputs': ['pin']}]";
    let failed = Case::new([item(), parent(map(sealed))])
        .run("g")
        .unwrap_err();
    assert!(
        failed.starts_with("child: the child cannot be started: runs do not have"),
        "{failed}"
    );
}

#[test]
fn h3_a_pipeline_hands_its_state_on() {
    let mut cut = graph(
        "cut",
        &["x"],
        json!({"x": {"state": {"n": "1", "a": "'cut'"}}}),
        json!([]),
    );
    cut["state"]["scraps"] = json!({"initial": 1});
    let sew = graph(
        "sew",
        &["x"],
        json!({"x": {"state": {"n": "10", "b": "state.a + ' and sewn'"}}}),
        json!([]),
    );
    let line = json!({"pipeline": {"children": [
        {"definition": "cut"}, {"definition": "sew", "input": {"n": "100"}}]}});
    let case = Case::new([cut.clone(), sew.clone(), parent(line)]);
    let state = case.run("g").unwrap();
    assert_eq!(
        state,
        json!({"a": "cut", "b": "cut and sewn", "n": 110, "log": [[]]})
    );

    let broken = graph(
        "cut",
        &["x"],
        json!({"x": {"state": {"n": "[][0]"}}}),
        json!([]),
    );
    let line = json!({"pipeline": {"children": [{"definition": "sew", "input": {"a": "''"}},
        {"definition": "cut"}, {"definition": "sew"}]}});
    let case = Case::new([broken, sew, parent(line)]);
    let run = case.start("g", json!({}));
    case.world.run_all();
    let failed = case.world.result::<Value>(run).unwrap_err();
    assert!(
        failed.starts_with("child: a child failed: evaluation: ") && failed.contains("key=1"),
        "{failed}"
    );
    assert_eq!(children(&case, run).len(), 2, "the rest is not started");
}

#[test]
fn h4_a_computed_child_takes_the_revision_that_was_added_last() {
    let computed = json!({"child": {"definition": {"cel": "'it' + 'em'"}, "input": {"a": "1"}, "reduce": {"a": "a"}}});
    assert_eq!(
        Case::new([item(), parent(computed)]).run("g").unwrap()["a"],
        1
    );
    let unknown = json!({"child": {"definition": {"cel": "'none'"}}});
    let failed = Case::new([parent(unknown)]).run("g").unwrap_err();
    assert!(
        failed.contains("unknown definition or revision: key=0, definition=none"),
        "{failed}"
    );
    // A literal one is pinned when the run starts.
    let case = Case::new([parent(case_child())]);
    assert!(case.graphs.start("g", Request::default()).is_err());
}

/// A parent whose two children sleep, one of them through a child of its own; and one that waits.
fn sleepers() -> [Value; 3] {
    let nap = graph("nap", &["x"], json!({"x": {"sleep": "30m"}}), json!([]));
    let deep = graph(
        "deep",
        &["x"],
        json!({"x": {"child": {"definition": "nap"}}}),
        json!([]),
    );
    let map = json!({"map": {"over": "['nap', 'deep', 'nap']", "definition": {"cel": "item"},
        "reduce": {}, "limit": 2}});
    [nap, deep, parent(map)]
}

#[test]
fn h6_a_stopping_run_cancels_its_children_and_awaits_them() {
    for by_engine in [false, true] {
        let case = Case::new(sleepers());
        let run = case.start("g", json!({}));
        case.world.run_all();
        assert_eq!(children(&case, run).len(), 2);
        if by_engine {
            let actor = millpond::domain::Actor::system("test");
            case.world
                .block(case.world.engine.cancel(run, "enough", actor))
                .unwrap();
            case.world.run_all();
        } else {
            case.control(run, "c", Verb::Cancel { fence: None });
        }
        let ended = case.world.result::<Value>(run).unwrap_err();
        assert!(ended.starts_with("cancelled: "), "{ended}");
        let frames = children(&case, run);
        assert_eq!(frames.len(), 2, "what has not begun never does");
        let deep = frames[1].child.unwrap();
        let grandchild = children(&case, deep)[0].child.unwrap();
        for child in [frames[0].child.unwrap(), deep, grandchild] {
            let ended = case.world.result::<Value>(child).unwrap_err();
            assert!(
                ended.starts_with("cancelled: the run was cancelled"),
                "{ended}"
            );
        }
    }
}

#[test]
fn h6_the_deadline_of_a_parent_stops_its_children() {
    let [nap, deep, mut parent] = sleepers();
    parent["nodes"]["c"]["deadline"] = json!("1m");
    let case = Case::new([nap, deep, parent]);
    let run = case.start("g", json!({}));
    case.world.skip(Duration::from_secs(70));
    assert!(
        case.world
            .result::<Value>(run)
            .unwrap_err()
            .starts_with("timeout: ")
    );
    for frame in children(&case, run) {
        let child = frame.child.unwrap();
        assert!(
            case.world
                .result::<Value>(child)
                .unwrap_err()
                .starts_with("cancelled: ")
        );
    }
}

#[test]
fn p1_a_pause_of_the_parent_lets_its_children_end_and_begins_no_further_one() {
    let [nap, deep, mut parent] = sleepers();
    parent["nodes"]["c"]["deadline"] = json!("1d");
    let case = Case::new([nap, deep, parent]);
    let run = case.start("g", json!({}));
    case.world.run_all();
    case.control(run, "p", Verb::Pause);
    assert_eq!(
        case.snapshot(run).map(|it| it.status),
        None,
        "its children are open"
    );
    case.world.skip(Duration::from_secs(1_900));
    assert_eq!(children(&case, run).len(), 2);
    assert!(!case.world.status(run).is_terminal());
    case.control(run, "r", Verb::Resume { bound: None });
    assert_eq!(children(&case, run).len(), 3);
    case.world.skip(Duration::from_secs(1_900));
    assert!(case.world.result::<Value>(run).is_ok());
}
