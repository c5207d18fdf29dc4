use std::sync::Arc;

use serde_json::json;

use super::world::From;
use crate::definition::{Definition, Position};
use crate::machine::tests::run::{Run, broken, done, graph};
use crate::machine::{Complete, Ending, Event, Status};
use crate::restore::{Lineage, RestoreError};

fn resumed(mut run: Run) -> Run {
    assert_eq!((run.did().as_str(), run.status()), ("", Status::Paused));
    run.does(Event::Resume(None));
    run
}

/// a1 and a2, then the actions that follow them.
fn wide() -> Arc<Definition> {
    graph(&["a1", "a2"], &["a1->a3", "a2->a4"], &[])
}

/// A run of it that waits in its second superstep.
fn second(definition: &Arc<Definition>) -> Run {
    let mut run = Run::new(definition);
    run.ends("a1").ends("a2");
    run
}

fn barrier(run: &Run) -> u64 {
    run.machine.checkpoint().base
}

#[test]
fn r1_at_a_running_barrier_each_position_begins_as_specified() {
    let definition = wide();
    let source = second(&definition);
    let from = From {
        sequence: Some(barrier(&source)),
        ..From::new(&source, &definition)
    };
    let (_, lineage) = from.start(Position::After).unwrap();
    let expected = Lineage {
        sequence: barrier(&source),
        ordinal: Some(1),
    };
    assert_eq!(lineage, expected);

    let mut after = resumed(from.run(Position::After));
    assert_eq!(
        (after.did().as_str(), after.ids().as_str()),
        ("resumed routed park park", "a3@1.0 a4@1.1")
    );
    after.ends("a3").ends("a4");
    // Ordinals continue from the position.
    assert_eq!(after.machine.checkpoint().outcomes[0].ordinal, 2);

    let at_saved = resumed(from.run(Position::AtSaved));
    assert_eq!(at_saved.ids(), "a2@0.0");
    assert_eq!(at_saved.machine.checkpoint().next_ordinal(), 2);
    assert_eq!(at_saved.log(), json!(["a1", "a2"]));

    let entry = resumed(from.run(Position::Entrypoint));
    assert_eq!(entry.ids(), "a1@0.0 a2@0.1");
    assert_eq!(entry.machine.checkpoint().next_ordinal(), 0);
    // The state stays, and the source is untouched.
    assert_eq!(entry.log(), json!(["a1", "a2"]));
    assert_eq!(source.nodes(), ["a3", "a4"]);
}

#[test]
fn r1_an_action_that_is_named_selects_its_barrier_and_runs_again_alone() {
    let definition = wide();
    let source = second(&definition);
    let from = From {
        action: Some(0),
        ..From::new(&source, &definition)
    };
    assert_eq!(resumed(from.run(Position::AtSaved)).ids(), "a1@0.0");
    // What followed the barrier: both siblings are routed.
    assert_eq!(resumed(from.run(Position::After)).nodes(), ["a3", "a4"]);
    let alone = From {
        alone: true,
        ..from
    };
    assert_eq!(resumed(alone.run(Position::After)).nodes(), ["a3"]);
}

#[test]
fn r1_conditions_read_the_overridden_state_and_the_result_of_the_source() {
    let edges = ["a1->a2", "a1->a3", "a1->a4"];
    let when = [("a1->a2", "2:0"), ("a1->a3", "2:1"), ("a1->a4", "result")];
    let definition = graph(&["a1"], &edges, &when);
    let mut source = Run::new(&definition);
    source.end(
        "a1",
        Ending::Complete(Complete {
            result: Arc::new(json!(true)),
            ..Complete::of(Vec::new())
        }),
    );
    assert_eq!(source.nodes(), ["a2", "a4"]);
    let from = From {
        overrides: json!({ "log": ["one"] }),
        sequence: Some(barrier(&source)),
        ..From::new(&source, &definition)
    };
    assert_eq!(resumed(from.run(Position::After)).nodes(), ["a3", "a4"]);
    let unknown = From {
        overrides: json!({ "nothing": 1 }),
        ..From::new(&source, &definition)
    };
    let unclean = unknown.start(Position::Entrypoint);
    assert!(matches!(unclean, Err(RestoreError::NotClean { .. })));
    let invalid = From {
        sequence: Some(barrier(&source)),
        ..unknown
    };
    assert!(matches!(
        invalid.start(Position::Entrypoint),
        Err(RestoreError::State(_))
    ));
}

#[test]
fn r1_what_is_not_copy_clean_is_refused() {
    let definition = graph(&["a1", "a2", "s3"], &[], &[]);
    let mut source = Run::new(&definition);
    let clean = |run: &Run, sequence| {
        let from = From {
            sequence: Some(sequence),
            ..From::new(run, &definition)
        };
        !matches!(
            from.start(Position::Entrypoint),
            Err(RestoreError::NotClean { .. })
        )
    };
    // Admission, stage, park, park.
    assert_eq!(
        [0, 1, 2, 3].map(|at| clean(&source, at)),
        [true, false, false, false]
    );
    source.does(Event::Cancel(None));
    source.ends("a1").ends("a2");
    // Cancelling with open controls, with one, without any, and cancelled.
    assert_eq!(
        [4, 5, 6, 7].map(|at| clean(&source, at)),
        [false, false, false, true]
    );
}

#[test]
fn r1_of_a_failed_run_the_whole_superstep_runs_again() {
    let definition = graph(&["a0"], &["a0->a1", "a0->a2", "a0->s3"], &[]);
    let mut source = Run::new(&definition);
    source.ends("a0").ends("a1").end("a2", broken(false));
    let failing = source.sequence() - 1;
    for sequence in [failing, failing + 1] {
        let from = From {
            sequence: Some(sequence),
            ..From::new(&source, &definition)
        };
        assert_eq!(from.start(Position::After), Err(RestoreError::AfterFailure));
        let (_, lineage) = from.start(Position::AtSaved).unwrap();
        assert_eq!(lineage.ordinal, Some(2));
        let mut again = resumed(from.run(Position::AtSaved));
        assert_eq!(again.ids(), "a1@0.0 a2@0.1 s3@0.2");
        // Nothing staged is carried over, and ordinals continue.
        assert_eq!(again.machine.checkpoint().staged.len(), 1);
        assert_eq!(again.machine.checkpoint().next_ordinal(), 1);
        again.ends("a1").ends("a2");
        assert_eq!(again.log(), json!(["a0", "a1", "a2", "s3"]));
    }
}

#[test]
fn r1_a_failure_without_ordinal_and_a_cancel_are_treated_as_any_other() {
    let definition = graph(&["a1"], &["a1->a2"], &[("a1->a2", "error")]);
    let mut source = Run::new(&definition);
    source.ends("a1");
    let from = From::new(&source, &definition);
    assert_eq!(resumed(from.run(Position::AtSaved)).ids(), "a1@0.0");
    // The condition is evaluated again, and fails again.
    assert_eq!(resumed(from.run(Position::After)).status(), Status::Failed);

    let definition = wide();
    let mut source = second(&definition);
    source.does(Event::Cancel(None)).ends("a3").ends("a4");
    let from = From::new(&source, &definition);
    assert_eq!(resumed(from.run(Position::After)).nodes(), ["a3", "a4"]);
    assert_eq!(resumed(from.run(Position::AtSaved)).nodes(), ["a2"]);
}

#[test]
fn r1_a_succeeded_and_a_halted_run() {
    let definition = graph(&["a1"], &["a1->s2"], &[]);
    let mut source = Run::new(&definition);
    let Ending::Complete(complete) = done("a1") else {
        panic!("complete");
    };
    source.end(
        "a1",
        Ending::Complete(Complete {
            halt: true,
            ..complete
        }),
    );
    assert_eq!(source.status(), Status::Halted);
    let halted = From::new(&source, &definition);
    let after = resumed(halted.run(Position::After));
    assert_eq!(
        (after.status(), after.log()),
        (Status::Succeeded, json!(["a1", "s2"]))
    );
    assert_eq!(resumed(halted.run(Position::AtSaved)).nodes(), ["a1"]);

    source.does(Event::Resume(None));
    assert_eq!(source.status(), Status::Succeeded);
    let succeeded = From::new(&source, &definition);
    let after = resumed(succeeded.run(Position::After));
    assert_eq!(
        (after.status(), after.log()),
        (Status::Succeeded, json!(["a1", "s2"]))
    );
    let again = resumed(succeeded.run(Position::AtSaved));
    assert_eq!(again.log(), json!(["a1", "s2", "s2"]));
}

#[test]
fn r1_without_a_saved_action_the_run_begins_with_the_frontier_of_the_checkpoint() {
    let definition = wide();
    let source = Run::new(&definition);
    let from = From {
        sequence: Some(0),
        ..From::new(&source, &definition)
    };
    for position in [Position::AtSaved, Position::After, Position::Entrypoint] {
        let (_, lineage) = from.start(position).unwrap();
        assert_eq!(
            lineage,
            Lineage {
                sequence: 0,
                ordinal: None
            }
        );
        assert_eq!(resumed(from.run(position)).ids(), "a1@0.0 a2@0.1");
    }
}

#[test]
fn r1_in_the_middle_of_a_join_the_deferred_join_and_its_visits_stay() {
    let edges = ["a0->J1", "a0->a2", "a2->a3", "a3->J1", "J1->a4"];
    let definition = graph(&["a0"], &edges, &[]);
    let mut source = Run::new(&definition);
    source.ends("a0").ends("a2");
    let from = From {
        sequence: Some(barrier(&source)),
        ..From::new(&source, &definition)
    };
    let mut after = resumed(from.run(Position::After));
    assert_eq!(after.ids(), "J1@0.1 a3@1.0");
    after.ends("a3");
    assert_eq!(after.nodes(), ["a4"]);
    let mut at_saved = resumed(from.run(Position::AtSaved));
    assert_eq!(at_saved.ids(), "J1@0.0 a2@0.1");
    at_saved.ends("a2").ends("a3");
    assert_eq!(at_saved.nodes(), ["a4"]);
}

#[test]
fn r1_in_a_loop_visits_stay_and_a_settled_join_is_open_again() {
    let edges = ["a0->F1", "F1->a2", "a2->F1"];
    let definition = graph(&["a0"], &edges, &[]);
    let mut source = Run::new(&definition);
    source.ends("a0").ends("a2");
    // The second visit of F1 is settled; its outcome is the position.
    assert_eq!(
        source.machine.checkpoint().settled_joins.get("F1"),
        Some(&2)
    );
    let from = From {
        sequence: Some(barrier(&source)),
        ..From::new(&source, &definition)
    };
    let (start, _) = from.start(Position::AtSaved).unwrap();
    assert_eq!(start.settled_joins.get("F1"), Some(&1));
    let again = resumed(from.run(Position::AtSaved));
    assert_eq!(again.machine.checkpoint().settled_joins.get("F1"), Some(&2));
    assert_eq!(again.nodes(), ["a2"]);
    let mut after = resumed(from.run(Position::After));
    after.ends("a2");
    assert_eq!(after.machine.checkpoint().settled_joins.get("F1"), Some(&3));
    let (entry, _) = from.start(Position::Entrypoint).unwrap();
    assert!(entry.settled_joins.is_empty());
}

#[test]
fn r3_a_restored_run_can_be_restored() {
    let definition = wide();
    let source = second(&definition);
    let from = From {
        sequence: Some(barrier(&source)),
        ..From::new(&source, &definition)
    };
    let mut first = resumed(from.run(Position::After));
    first.ends("a3").ends("a4");
    let again = From::new(&first, &definition);
    let (_, lineage) = again.start(Position::AtSaved).unwrap();
    assert_eq!(lineage.ordinal, Some(3));
    assert_eq!(resumed(again.run(Position::AtSaved)).ids(), "a4@0.0");
}
