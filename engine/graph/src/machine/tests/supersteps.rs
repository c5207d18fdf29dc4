use serde_json::json;

use super::run::{Run, broken, done, graph};
use crate::Category;
use crate::machine::{Command, Ending, KindOfCheckpoint, Phase, Status};

/// The state that the first action got.
fn given(run: &Run) -> serde_json::Value {
    match &*run.machine.checkpoint().controls[&0].given {
        crate::program::Begin::Action(with) => with.clone().into(),
        other => panic!("no action: {other:?}"),
    }
}

#[test]
fn s1_all_ready_activations_begin_before_a_barrier_and_read_the_state_before_it() {
    let mut run = Run::of(&["a1", "a2", "s3"], &["a1->a4"]);
    assert_eq!(run.did(), "stage park park");
    run.ends("a2");
    assert_eq!(run.did(), "stage");
    assert_eq!(given(&run), json!({ "log": [] }));
    run.ends("a1");
    assert_eq!(run.did(), "stage barrier routed park");
    assert_eq!(given(&run), json!({ "log": ["a1", "a2", "s3"] }));
}

#[test]
fn s5_edges_are_taken_by_their_conditions() {
    let edges = ["s0->a1", "s0->a2", "s0->a3", "s0->a4"];
    let after = |conditions: &[(&str, &str)]| {
        Run::new(&graph(&["s0"], &edges, conditions))
            .nodes()
            .join(" ")
    };
    assert_eq!(after(&[]), "a1 a2 a3 a4");
    assert_eq!(after(&[("s0->a1", "false"), ("s0->a2", "else")]), "a3 a4");
    let none = [
        ("s0->a1", "false"),
        ("s0->a2", "false"),
        ("s0->a3", "false"),
    ];
    let otherwise = [none.as_slice(), &[("s0->a4", "else")]].concat();
    assert_eq!(after(&otherwise), "a4");
    let empty = [none.as_slice(), &[("s0->a4", "false")]].concat();
    assert_eq!(after(&empty), "");
    // Conditions read the new state: `log` has one value.
    assert_eq!(after(&[("s0->a1", "2:1"), ("s0->a2", "2:0")]), "a1 a3 a4");
}

#[test]
fn s5_a_condition_reads_the_result_of_its_source() {
    let edges = ["a1->a3", "a2->a3"];
    let when = [("a1->a3", "result"), ("a2->a3", "result")];
    let mut run = Run::new(&graph(&["a1", "a2"], &edges, &when));
    let with = |result: bool| {
        Ending::Complete(crate::machine::Complete {
            result: json!(result).into(),
            ..crate::machine::Complete::of(Vec::new())
        })
    };
    run.end("a1", with(false)).end("a2", with(true));
    let frontier = &run.machine.checkpoint().frontier;
    assert_eq!(frontier.len(), 1);
    assert_eq!(frontier[0].parents[0].rank, 1);
}

#[test]
fn s5_two_arrivals_at_a_node_that_is_no_join_are_two_activations() {
    let mut run = Run::of(&["a1", "a2"], &["a1->a3", "a2->a3", "a3->a4"]);
    run.ends("a1").ends("a2");
    assert_eq!(run.nodes(), ["a3", "a3"]);
}

#[test]
fn s5_an_error_in_a_condition_fails_without_ordinal_after_the_barrier() {
    let mut run = Run::new(&graph(&["a1"], &["a1->a2"], &[("a1->a2", "error")]));
    run.did();
    run.ends("a1");
    assert_eq!(run.did(), "stage barrier failing failed");
    assert_eq!(
        run.failure(),
        (Category::Evaluation, Some("a1".into()), None)
    );
    assert_eq!(run.log(), json!(["a1"]));
}

#[test]
fn s6_arrivals_at_a_deferred_join_are_one_activation() {
    let mut run = Run::of(&["a1"], &["a1->J", "a1->a2", "a2->J", "J->a3"]);
    run.ends("a1");
    assert_eq!(run.nodes(), ["J", "a2"]);
    run.did();
    run.ends("a2");
    // The join is decided without waiting, and has no contributions.
    assert_eq!(run.did(), "stage barrier routed stage barrier routed park");
    assert_eq!(run.log(), json!(["a1", "a2"]));
    let outcomes = &run.machine.checkpoint().outcomes;
    assert_eq!((outcomes[0].node.as_str(), outcomes[0].ordinal), ("J", 2));
}

#[test]
fn s7_a_loser_never_begins() {
    let edges = ["a1->F", "s2->a3", "s2->F", "a3->F", "F->a4"];
    let mut run = Run::of(&["a1", "s2"], &edges);
    run.ends("a1");
    assert_eq!(run.nodes(), ["a4"]);
    let begun = run.steps.iter().flat_map(|step| &step.commands);
    assert_eq!(
        begun
            .filter(|did| matches!(did, Command::Begin { .. }))
            .count(),
        2
    );
    let settled = &run.machine.checkpoint().settled_joins;
    assert_eq!(settled.get("F"), Some(&1));
}

#[test]
fn s8_an_empty_frontier_succeeds_with_the_state() {
    let mut run = Run::of(&["s1", "s2"], &[]);
    assert_eq!(run.did(), "stage barrier routed succeeded");
    assert_eq!(run.machine.checkpoint().phase, Phase::Succeeded);
    assert_eq!(run.log(), json!(["s1", "s2"]));
    assert_eq!(run.status(), Status::Succeeded);
}

#[test]
fn s9_a_state_node_has_no_command() {
    let run = Run::of(&["s1"], &["s1->s2"]);
    assert!(run.steps.iter().all(|step| step.commands.is_empty()));
}

#[test]
fn s9_a_sleep_longer_than_its_deadline_times_out_at_the_deadline() {
    let mut run = Run::of(&["w1"], &["w1->a2"]);
    assert_eq!(run.machine.next_timer(), Some(11_000));
    run.pass(9_999).did();
    assert_eq!(run.status(), Status::Running);
    run.pass(1);
    assert_eq!(run.did(), "failing failed");
    assert_eq!(
        run.failure(),
        (Category::Timeout, Some("w1".into()), Some(0))
    );
    assert!(matches!(run.commands()[..], [Command::Close { .. }]));
}

#[test]
fn s9_a_sleep_that_ends_before_its_deadline_continues_the_path() {
    let mut run = Run::of(&["w1"], &["w1->a2"]);
    run.end(
        "w1",
        Ending::Complete(crate::machine::Complete::of(Vec::new())),
    );
    assert_eq!(run.nodes(), ["a2"]);
}

#[test]
fn c1_checkpoints_are_dense_and_base_is_the_last_barrier() {
    let mut run = Run::of(&["a1", "s2"], &["a1->a3", "a3->s4"]);
    run.ends("a1").ends("a3");
    let sequences: Vec<_> = run.steps.iter().map(|step| step.sequence).collect();
    assert_eq!(sequences, (1..=run.sequence()).collect::<Vec<_>>());
    let barriers = run
        .steps
        .iter()
        .filter(|step| step.kind == KindOfCheckpoint::Action);
    let barriers: Vec<_> = barriers.map(|step| step.sequence).collect();
    assert_eq!(Some(&run.machine.checkpoint().base), barriers.last());
    assert_eq!(run.machine.checkpoint().superstep, 3);
    assert_eq!(
        run.steps.last().map(|step| &step.kind),
        Some(&KindOfCheckpoint::Terminal)
    );
}

#[test]
fn c1_the_kind_failed_is_the_checkpoint_that_holds_a_new_failure() {
    let mut run = Run::of(&["a1", "a2"], &[]);
    run.end("a2", broken(false)).end("a1", broken(false));
    let kind = |step: &crate::machine::Step| match &step.kind {
        KindOfCheckpoint::Failed { ordinal, .. } => format!("failed {ordinal}"),
        other => format!("{other:?}"),
    };
    let kinds: Vec<_> = run.steps.iter().map(kind).collect();
    let expected = [
        "Control", "Control", "Control", "failed 1", "failed 0", "Terminal",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(run.did(), "park park stage failing stage failed");
}

#[test]
fn outcomes_and_position_are_those_of_the_last_barrier() {
    let mut run = Run::of(&["a1", "a2"], &["a2->a3"]);
    run.ends("a2").ends("a1").end("a3", done("a3"));
    let checkpoint = run.machine.checkpoint();
    assert_eq!(checkpoint.outcomes.len(), 1);
    let position = checkpoint.position.as_ref().expect("a position");
    assert_eq!((position.node.as_str(), position.ordinal), ("a3", 2));
}
