//! Retry of a failed run.

use serde_json::json;

use super::run::{Run, broken, graph};
use crate::Category;
use crate::machine::{Event, Handled, Machine, Rejection, Status};

fn conflict(result: &Result<Handled, Rejection>) -> bool {
    matches!(result, Err(Rejection::Conflict { .. }))
}

#[test]
fn f5_complete_outcomes_stay_and_the_other_activations_run_again() {
    let mut run = Run::of(&["a1", "a2", "a3", "s4"], &["a1->a5"]);
    run.ends("a1").end("a2", broken(false));
    // It came after the failure, and stays all the same.
    run.ends("a3");
    assert_eq!(run.status(), Status::Failed);
    assert!(run.machine.checkpoint().staged.is_empty());
    run.did();
    run.does(Event::Retried(Some(run.sequence())));
    assert_eq!(run.did(), "failed_retry park");
    assert_eq!(run.machine.generation(), 1);
    assert_eq!(run.machine.checkpoint().staged.len(), 3);
    run.ends("a2");
    assert_eq!(run.log(), json!(["a1", "a2", "a3", "s4"]));
    assert_eq!(run.nodes(), ["a5"]);
    assert_eq!(
        run.machine
            .checkpoint()
            .position
            .as_ref()
            .map(|last| last.ordinal),
        Some(3)
    );
}

#[test]
fn f5_a_run_is_retried_twice_with_a_full_deadline() {
    let mut run = Run::of(&["r1"], &[]);
    run.end("r1", broken(false));
    for generation in 1..3 {
        run.pass(9_000).does(Event::Retried(None));
        assert_eq!(run.machine.generation(), generation);
        assert_eq!(run.machine.next_timer(), Some(run.now + 10_000));
        run.end("r1", broken(false));
        assert_eq!(
            run.failure(),
            (Category::Action, Some("r1".into()), Some(0))
        );
    }
    run.does(Event::Retried(None)).ends("r1");
    assert_eq!(run.status(), Status::Succeeded);
}

#[test]
fn f5_a_failure_in_what_is_decided_without_waiting_runs_again_and_fails_again() {
    let mut run = Run::of(&["s1", "x2", "a3"], &[]);
    run.did();
    run.does(Event::Retried(None));
    assert_eq!(run.did(), "failed_retry stage failing failed");
}

#[test]
fn f5_a_retry_is_refused_for_each_reason() {
    let mut stale = Run::of(&["x1"], &[]);
    let found = stale.sequence();
    let expected = found - 1;
    let fence = Rejection::StaleFence { expected, found };
    assert_eq!(stale.event(Event::Retried(Some(expected))), Err(fence));

    let mut succeeded = Run::of(&["s1"], &[]);
    assert!(conflict(&succeeded.event(Event::Retried(None))));

    let mut running = Run::of(&["a1"], &[]);
    assert!(conflict(&running.event(Event::Retried(None))));

    let mut cancelled = Run::of(&["w1"], &[]);
    cancelled.does(Event::Cancel(None));
    assert!(conflict(&cancelled.event(Event::Retried(None))));

    let error = [("s1->a2", "error")];
    let mut unordered = Run::new(&graph(&["s1"], &["s1->a2"], &error));
    assert!(conflict(&unordered.event(Event::Retried(None))));
}

#[test]
fn f5_a_retry_makes_a_paused_run_active() {
    let mut run = Run::of(&["a1"], &[]);
    run.does(Event::Pause)
        .end("a1", broken(false))
        .does(Event::Retried(None));
    assert_eq!(
        run.did(),
        "park paused stage failing failed failed_retry park"
    );
}

#[test]
fn e4_a_run_continues_in_place_as_if_nothing_had_happened() {
    let definition = graph(&["a1"], &["a1->J", "a1->a2", "a2->J", "J->s3"], &[]);
    let mut whole = Run::new(&definition);
    whole.ends("a1");
    let mut part = Run::new(&definition);
    part.ends("a1");
    // A part ends after a routed, before anything begins; here, the action has begun.
    let mut machine = Machine::start(
        std::sync::Arc::clone(&definition),
        super::toy::Toy::new(&definition),
        crate::Limits::default(),
        crate::machine::Start::new(super::toy::Toy::new(&definition).start()),
    )
    .unwrap();
    while machine.advance(1_000).unwrap().is_some() {}
    let control = machine.checkpoint().controls[&0].sequence;
    let ending = super::run::done("a1");
    machine
        .handle(Event::Ended { control, ending }, 1_000)
        .unwrap();
    loop {
        let step = machine.advance(1_000).unwrap().expect("a routed");
        if step.transition == crate::machine::Transition::Routed {
            break;
        }
    }
    let rules = super::toy::Toy::new(&definition);
    let checkpoint = machine.checkpoint().clone();
    let limits = crate::Limits::default();
    let next = Machine::continued(
        definition,
        rules,
        limits,
        checkpoint,
        crate::machine::Rest::default(),
    );
    part.machine = next.unwrap();
    part.settle();
    for run in [&mut whole, &mut part] {
        run.ends("a2");
    }
    assert_eq!(whole.machine.checkpoint(), part.machine.checkpoint());
}
