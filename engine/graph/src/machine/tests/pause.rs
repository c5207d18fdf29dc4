use std::num::NonZeroU64;

use serde_json::json;

use super::run::{Run, broken, done, graph};
use crate::Category;
use crate::Limits;
use crate::definition::NodeId;
use crate::machine::{Bound, Decision, Ending, Event, Handled, Rejection, Resolution, Status};

fn supersteps(count: u64) -> Event {
    let count = NonZeroU64::new(count).expect("not zero");
    Event::Resume(Some(Bound::Supersteps(count)))
}

fn before(node: &str) -> Bound {
    Bound::Before(NodeId::parse(node).unwrap())
}

fn halt(node: &str) -> Ending {
    match done(node) {
        Ending::Complete(complete) => Ending::Complete(crate::machine::Complete {
            halt: true,
            ..complete
        }),
        failed @ Ending::Failed { .. } => failed,
    }
}

#[test]
fn p1_a_pause_drains_work_keeps_outcomes_and_lets_no_barrier_follow() {
    let mut run = Run::of(&["a1", "a2"], &["a1->a3"]);
    run.did();
    run.does(Event::Pause);
    assert_eq!(
        (run.did().as_str(), run.status()),
        ("paused", Status::Running)
    );
    run.ends("a1").ends("a2");
    assert_eq!(
        (run.did().as_str(), run.status()),
        ("stage stage", Status::Paused)
    );
    assert_eq!(run.machine.checkpoint().staged.len(), 2);
    run.does(Event::Resume(None));
    assert_eq!(run.did(), "resumed barrier routed park");
    assert_eq!(run.log(), json!(["a1", "a2"]));
}

#[test]
fn p1_no_attempt_begins_in_a_pause_and_the_next_one_begins_at_the_resume() {
    let mut run = Run::of(&["r1"], &[]);
    run.does(Event::Pause).end("r1", broken(true)).did();
    assert_eq!(run.status(), Status::Paused);
    assert_eq!(run.machine.next_timer(), Some(11_000));
    run.pass(5_000);
    assert_eq!(run.did(), "");
    run.does(Event::Resume(None));
    assert_eq!(run.did(), "resumed retry_ready");
}

#[test]
fn p1_a_deadline_passes_in_a_pause() {
    let mut run = Run::of(&["i1"], &[]);
    run.does(Event::Pause);
    assert_eq!(run.status(), Status::Paused);
    run.pass(10_000);
    assert_eq!(run.failure().0, Category::Timeout);
    assert_eq!(run.status(), Status::Failed);
}

#[test]
fn p1_an_interaction_is_resolved_in_a_pause_and_what_follows_waits() {
    let mut run = Run::of(&["i1", "n2"], &["i1->a3"]);
    let (i1, n2) = (run.control("i1"), run.control("n2"));
    run.does(Event::Pause).did();
    let decide = |sequence, decision| {
        Event::Resolve(Resolution {
            sequence,
            generation: 0,
            decision,
        })
    };
    run.does(decide(i1, Decision::Answer(json!("yes"))));
    let names = vec![crate::definition::Name::parse("pin").unwrap()];
    let digest = "d".to_owned();
    run.does(decide(n2, Decision::Sealed { names, digest }));
    assert_eq!(
        (run.did().as_str(), run.status()),
        ("resolve settlement", Status::Paused)
    );
    run.does(Event::Resume(None));
    assert_eq!(run.did(), "resumed park");
    run.ends("n2");
    assert_eq!(run.log(), json!(["yes", "n2"]));
}

#[test]
fn p1_children_run_on_in_a_pause_and_their_end_is_kept() {
    let mut run = Run::of(&["c1"], &[]);
    run.does(Event::Pause);
    assert_eq!(run.status(), Status::Running);
    run.ends("c1");
    assert_eq!(run.status(), Status::Paused);
    run.does(Event::Resume(None));
    assert_eq!(run.status(), Status::Succeeded);
}

#[test]
fn p1_a_failure_in_a_pause_stops_the_run() {
    let mut run = Run::of(&["a1"], &[]);
    run.does(Event::Pause).did();
    run.end("a1", broken(false));
    assert_eq!(run.did(), "stage failing failed");
}

#[test]
fn p1_a_paused_run_stays_paused_and_a_running_one_cannot_be_resumed() {
    let mut run = Run::of(&["a1"], &[]);
    let conflict = |result| matches!(result, Err(Rejection::Conflict { .. }));
    assert!(conflict(run.event(Event::Resume(None))));
    run.does(Event::Pause);
    let sequence = run.sequence();
    assert_eq!(run.event(Event::Pause), Ok(Handled::Already { sequence }));
    run.does(Event::Cancel(None));
    assert!(conflict(run.event(Event::Pause)));
    assert!(conflict(run.event(Event::Resume(None))));
    run.ends("a1");
    assert!(conflict(run.event(Event::Pause)));
}

#[test]
fn p2_a_bound_pauses_again_after_that_many_supersteps() {
    let mut run = Run::of(&["s1"], &["s1->s2", "s2->s3", "s3->a4", "a4->s5"]);
    run.does(Event::Pause).did();
    // The action of the present superstep has not ended.
    run.does(supersteps(1));
    assert_eq!(run.did(), "resumed");
    run.ends("a4");
    assert_eq!(run.did(), "stage barrier routed paused");
    assert_eq!(
        (run.nodes(), run.status()),
        (vec!["s5".to_owned()], Status::Paused)
    );
    run.does(Event::Resume(None));
    assert_eq!(run.status(), Status::Succeeded);
}

#[test]
fn p2_a_bound_counts_supersteps_without_work_and_does_not_pause_a_run_that_ends() {
    let definition = graph(&["s1"], &["s1->s2", "s2->s3"], &[]);
    let prepared = |start: &mut crate::machine::Start| start.prepared = true;
    let mut run = Run::with(&definition, Limits::default(), prepared);
    run.does(supersteps(2));
    assert_eq!(run.nodes(), ["s3"]);
    run.does(supersteps(1));
    assert_eq!(run.status(), Status::Succeeded);
}

#[test]
fn p2_a_bound_pauses_before_a_node_of_a_new_frontier_begins() {
    let mut run = Run::of(&["a1"], &["a1->a2", "a2->s3", "a2->a1"]);
    run.does(Event::Pause);
    run.does(Event::Resume(Some(before("s3"))));
    run.ends("a1").did();
    run.ends("a2");
    assert_eq!(run.did(), "stage barrier routed paused");
    assert_eq!(run.log(), json!(["a1", "a2"]));
    // The bound is used up.
    assert_eq!(run.machine.rest().bound, None);
    run.does(Event::Resume(None));
    assert_eq!(run.did(), "resumed stage park");
}

#[test]
fn p2_a_new_resume_replaces_the_bound_and_an_unknown_node_is_refused() {
    let mut run = Run::of(&["a1"], &["a1->a2", "a2->a3"]);
    run.does(Event::Pause).does(supersteps(1));
    run.does(Event::Pause).does(Event::Resume(None));
    run.ends("a1").ends("a2");
    assert_eq!(run.nodes(), ["a3"]);
    run.does(Event::Pause);
    let unknown = run.event(Event::Resume(Some(before("nowhere"))));
    assert!(matches!(unknown, Err(Rejection::InvalidInput { .. })));
    assert_eq!(run.status(), Status::Running);
}

#[test]
fn p2_a_start_takes_a_bound() {
    let definition = graph(&["a1"], &["a1->a2"], &[]);
    let bound = |start: &mut crate::machine::Start| start.bound = Some(before("a1"));
    let mut run = Run::with(&definition, Limits::default(), bound);
    assert_eq!(
        (run.did().as_str(), run.status()),
        ("paused", Status::Paused)
    );
}

#[test]
fn p3_a_halt_takes_effect_after_its_barrier_and_before_the_routing() {
    let mut run = Run::of(&["a1", "a2", "a3"], &["a2->a4"]);
    run.did();
    run.end("a3", halt("a3")).end("a2", halt("a2"));
    assert_eq!(
        (run.did().as_str(), run.status()),
        ("stage stage", Status::Running)
    );
    run.ends("a1");
    assert_eq!(
        (run.did().as_str(), run.status()),
        ("stage barrier halted", Status::Halted)
    );
    // The first in order is shown; the contributions count.
    let crate::machine::Admission::Halted { node, result } = &run.machine.checkpoint().admission
    else {
        panic!("halted");
    };
    assert_eq!((node.as_str(), &**result), ("a2", &json!({ "node": "a2" })));
    assert_eq!(run.log(), json!(["a1", "a2", "a3"]));
    let sequence = run.sequence();
    assert_eq!(run.event(Event::Pause), Ok(Handled::Already { sequence }));
    run.does(Event::Resume(None));
    assert_eq!(run.did(), "resumed routed park");
    assert_eq!(run.nodes(), ["a4"]);
}

#[test]
fn p3_a_sibling_that_fails_ends_the_run_without_a_halt() {
    let mut run = Run::of(&["a1", "a2"], &[]);
    run.end("a1", halt("a1")).end("a2", broken(false));
    assert_eq!(run.did(), "park park stage stage failing failed");
}

#[test]
fn p3_a_halted_run_can_be_cancelled() {
    let mut run = Run::of(&["a1"], &["a1->a2"]);
    run.end("a1", halt("a1")).did();
    run.does(Event::Cancel(Some(run.sequence())));
    assert_eq!(
        (run.did().as_str(), run.status()),
        ("cancel_intent cancelled", Status::Cancelled)
    );
}

#[test]
fn p3_the_bound_of_the_resume_counts_from_the_halted_barrier() {
    let mut run = Run::of(&["a1"], &["a1->s2", "s2->s3"]);
    run.end("a1", halt("a1")).did();
    run.does(supersteps(1));
    assert_eq!(run.did(), "resumed routed stage barrier routed paused");
}

#[test]
fn p4_a_prepared_start_runs_nothing_before_the_resume() {
    let definition = graph(&["s1", "a2"], &[], &[]);
    let prepared = |start: &mut crate::machine::Start| start.prepared = true;
    let mut run = Run::with(&definition, Limits::default(), prepared);
    assert_eq!((run.did().as_str(), run.status()), ("", Status::Paused));
    run.does(Event::Resume(None));
    assert_eq!(run.did(), "resumed stage park");
    let mut run = Run::with(&definition, Limits::default(), prepared);
    run.does(Event::Cancel(Some(0)));
    assert_eq!(
        (run.did().as_str(), run.status()),
        ("cancel_intent cancelled", Status::Cancelled)
    );
}
