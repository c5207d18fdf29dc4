//! S1: the states of steps and blocks, from the journal.

use std::time::Duration;

use millpond::client::{Notice, Retention, RetentionSettings};
use millpond::domain::Status;
use millpond_ffl::explain::{ExplainError, explain};
use millpond_ffl::states::{Node, ObjectType, State};

use super::harness::{Ran, Setup, run};

const PROGRAM: &str = r#"
namespace n {
    schema S { x: Json }
    event facet E(x: Json, fail: Json = null) => (x: Json)
    event facet G(x: Json) => (x: Json) with E(x = 1) as m
    workflow W() => (all: Json)
        andThen {
            a = E(x = 1) andThen { b = G(x = a.x) yield W(all = [b.x]) }
            s = S(x = 2)
            t = S(x = 3) andThen { u = E(x = t.x) }
            c = E(x = 0, fail = "no") catch { d = E(x = 4) }
        }
        andThen when { case 1 / 0 > 1 => { } case _ => { e = E(x = 5) } }
}
"#;

/// The states of a node, one word each.
fn states(node: &Node) -> String {
    let names = node.states.iter().map(|reached| reached.state.as_str());
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn s1_each_kind_goes_through_the_states_of_its_table_in_order() {
    let setup = Setup::of(PROGRAM);
    let ran = run(&setup);
    let tree = ran
        .world
        .block(explain(&ran.world.engine, ran.eid, &setup.program));
    let tree = tree.expect("it is explained");
    for node in tree.all() {
        assert_eq!(node.state(), State::Complete, "{}", node.path);
        let caught = |state: &State| {
            matches!(
                state,
                State::CatchBegin | State::CatchContinue | State::CatchEnd
            )
        };
        let reached = node.states.iter().map(|reached| reached.state);
        let mut table = node.object.table().iter();
        for state in reached.filter(|state| !caught(state)) {
            assert!(
                table.any(|next| *next == state),
                "{}: {}",
                node.path,
                states(node)
            );
        }
        assert!(
            node.states.is_sorted_by_key(|reached| reached.at),
            "{}",
            node.path
        );
    }
    let find = |path: &str| {
        let all = tree.all();
        let found = all.iter().find(|node| node.path == path);
        (*found.unwrap_or_else(|| panic!("no {path}"))).clone()
    };
    assert_eq!(
        states(&find("b0/a/b0/b")),
        "statement.Created facet.initialization.Begin facet.initialization.End facet.scripts.Begin \
         facet.scripts.End mixin.blocks.Begin mixin.blocks.Continue mixin.blocks.End \
         mixin.capture.Begin mixin.capture.End EventTransmit statement.capture.Begin \
         statement.capture.End statement.End statement.Complete"
    );
    assert_eq!(
        states(&find("b0/s")),
        "statement.Created facet.initialization.Begin facet.initialization.End statement.End \
         statement.Complete"
    );
    assert_eq!(
        states(&find("b0/c")),
        "statement.Created facet.initialization.Begin facet.initialization.End facet.scripts.Begin \
         facet.scripts.End EventTransmit statement.catch.Begin statement.catch.Continue \
         statement.catch.End statement.capture.Begin statement.capture.End statement.End \
         statement.Complete"
    );
    assert_eq!(find("b0/a/b0/y0").object, ObjectType::YieldAssignment);
    assert_eq!(find("b0/t").object, ObjectType::SchemaInstantiation);
    assert_eq!(find("b1").object, ObjectType::AndWhen);
    assert_eq!(find("b0/c/k").object, ObjectType::AndCatch);
    assert_eq!(find("b1").notes.len(), 1, "the condition that failed");
    let returns = find("b0/a/b0/b").returns.expect("captured").to_json();
    assert_eq!(returns["x"], 1);
}

#[test]
fn s1_an_archived_execution_has_the_same_states() {
    let setup = Setup::of(PROGRAM);
    let Ran { world, eid, .. } = run(&setup);
    let explained = || world.block(explain(&world.engine, eid, &setup.program));
    let before = explained().expect("it is explained");
    world.clock.advance(Duration::from_secs(8 * 86_400));
    let retention = Retention::new(&world.engine, RetentionSettings::default());
    let retention = retention.expect("the settings are valid");
    let retained = world.block(retention.passes(&Notice::new()));
    assert_eq!(retained.expect("no error").archived, 1);
    assert_eq!(world.status(eid), Status::Archived);
    assert_eq!(explained().expect("it is explained"), before);
}

#[test]
fn s1_what_runs_another_program_is_not_explained() {
    let setup = Setup::of(PROGRAM);
    let ran = run(&setup);
    let other = Setup::of(&PROGRAM.replace("x = 5", "x = 6"));
    let refused = ran
        .world
        .block(explain(&ran.world.engine, ran.eid, &other.program));
    assert!(
        matches!(refused, Err(ExplainError::OtherProgram { .. })),
        "{refused:?}"
    );
}
