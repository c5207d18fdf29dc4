//! Restores into another revision and into another definition.

use std::sync::Arc;

use serde_json::json;

use super::world::From;
use crate::definition::{Definition, Position};
use crate::machine::Event;
use crate::machine::tests::run::{Run, definition, graph};
use crate::restore::RestoreError;

fn source() -> (Arc<Definition>, Run) {
    let definition = graph(&["a0"], &["a0->J1", "a0->a2", "a2->a3", "a3->J1"], &[]);
    let mut run = Run::new(&definition);
    run.ends("a0").ends("a2");
    (definition, run)
}

fn after(
    target: &Arc<Definition>,
    change: impl FnOnce(&mut From<'_>),
) -> Result<Vec<String>, RestoreError> {
    let (definition, run) = source();
    let mut from = From::new(&run, &definition);
    from.target = target;
    from.sequence = Some(run.machine.checkpoint().base);
    change(&mut from);
    from.start(Position::After)?;
    let mut restored = from.run(Position::After);
    restored.does(Event::Resume(None));
    Ok(restored.nodes())
}

#[test]
fn r2_the_edges_of_the_target_count() {
    let target = graph(&["a0"], &["a0->J1", "a2->a5", "a5->J1"], &[]);
    assert_eq!(after(&target, |_| {}), Ok(vec!["J1".into(), "a5".into()]));
}

#[test]
fn r2_a_node_that_is_gone_is_named() {
    let target = graph(&["a0"], &["a0->J1"], &[]);
    let gone = after(&target, |_| {});
    assert!(matches!(gone, Err(RestoreError::NodeGone { node }) if node.as_str() == "a2"));
}

#[test]
fn r2_alone_needs_neither_the_siblings_nor_the_joins() {
    let target = graph(&["a9"], &["a2->a5"], &[]);
    let gone = after(&target, |_| {});
    assert!(matches!(gone, Err(RestoreError::NodeGone { node }) if node.as_str() == "J1"));
    let alone = |from: &mut From<'_>| from.alone = true;
    assert_eq!(after(&target, alone), Ok(vec!["a5".into()]));
    // Into another definition it is always alone.
    let another = |from: &mut From<'_>| from.another = true;
    assert_eq!(after(&target, another), Ok(vec!["a5".into()]));
}

#[test]
fn r2_a_join_of_another_kind_is_named() {
    let text = json!({
        "graph": 1, "id": "g", "entry": ["a2"], "edges": ["a2->J1"],
        "nodes": { "a2": { "action": "work" }, "J1": { "join_first": {} } },
        "state": { "log": { "reduce": "append" } },
    });
    let changed = after(&definition(text), |_| {});
    assert!(matches!(changed, Err(RestoreError::JoinChanged { node }) if node.as_str() == "J1"));
}

#[test]
fn r2_a_settled_join_that_is_gone_is_named() {
    let definition = graph(&["a0"], &["a0->F1", "F1->a2"], &[]);
    let mut run = Run::new(&definition);
    run.ends("a0").ends("a2");
    let target = graph(&["a0"], &["a0->a2"], &[]);
    let mut from = From::new(&run, &definition);
    from.target = &target;
    let changed = from.start(Position::After);
    assert!(matches!(changed, Err(RestoreError::JoinChanged { node }) if node.as_str() == "F1"));
    // The entry of the target does not depend on them.
    assert!(from.start(Position::Entrypoint).is_ok());
}

#[test]
fn r2_keys_that_the_state_lacks_take_their_initial_and_keys_that_are_gone_are_refused() {
    let with = |keys: serde_json::Value| {
        definition(json!({
            "graph": 1, "id": "g", "entry": ["a0"], "nodes": { "a0": { "action": "work" } },
            "state": keys,
        }))
    };
    let (definition, run) = source();
    let mut from = From::new(&run, &definition);
    from.sequence = Some(run.machine.checkpoint().base);
    let target = with(json!({ "log": { "reduce": "append" }, "new": { "initial": 7 } }));
    from.target = &target;
    let (start, _) = from.start(Position::Entrypoint).unwrap();
    assert_eq!(start.state.get("new"), Some(&json!(7)));
    let target = with(json!({ "other": {} }));
    from.target = &target;
    assert!(matches!(
        from.start(Position::Entrypoint),
        Err(RestoreError::State(_))
    ));
    let target = with(json!({ "log": { "schema": { "maxItems": 1 }, "reduce": "append" } }));
    from.target = &target;
    assert!(matches!(
        from.start(Position::Entrypoint),
        Err(RestoreError::State(_))
    ));
}
