use super::run::{Run, broken, graph};
use crate::Limits;
use crate::machine::{Event, Handled, Machine, Phase, Rejection, Start, Status};

fn conflict(result: &Result<Handled, Rejection>) -> bool {
    matches!(result, Err(Rejection::Conflict { .. }))
}

#[test]
fn c4_a_cancel_with_the_newest_sequence_is_accepted_and_repeatable() {
    let mut run = Run::of(&["a1"], &[]);
    let fence = run.sequence();
    run.did();
    run.does(Event::Cancel(Some(fence)));
    assert_eq!(
        (run.did().as_str(), run.status()),
        ("cancel_intent", Status::Cancelling)
    );
    let again = run.event(Event::Cancel(Some(fence)));
    assert_eq!(again, Ok(Handled::Already { sequence: fence }));
    assert_eq!(
        run.event(Event::Cancel(None)),
        Ok(Handled::Already { sequence: fence })
    );
    assert!(conflict(&run.event(Event::Cancel(Some(fence + 1)))));
    run.ends("a1");
    assert_eq!(
        (run.did().as_str(), run.status()),
        ("attempt_settled cancelled", Status::Cancelled)
    );
    let after = run.event(Event::Cancel(Some(fence)));
    assert_eq!(after, Ok(Handled::Already { sequence: fence }));
    assert!(conflict(&run.event(Event::Cancel(Some(0)))));
}

#[test]
fn c4_a_stale_fence_reports_what_was_sent_and_what_is_present() {
    let mut run = Run::of(&["a1", "a2"], &[]);
    let fence = run.sequence();
    run.ends("a1");
    let stale = Rejection::StaleFence {
        expected: fence,
        found: fence + 1,
    };
    assert_eq!(run.event(Event::Cancel(Some(fence))), Err(stale));
    assert_eq!(run.status(), Status::Running);
}

#[test]
fn c4_a_cancel_of_a_failing_run_is_recorded_and_the_run_ends_failed() {
    let mut run = Run::of(&["a1", "a2"], &[]);
    run.end("a1", broken(false)).did();
    let fence = run.sequence();
    run.does(Event::Cancel(None));
    run.ends("a2");
    assert_eq!(run.did(), "cancel_intent stage failed");
    assert_eq!(run.machine.checkpoint().phase.cancel(), Some(fence));
    assert_eq!(run.status(), Status::Failed);
    assert_eq!(
        run.event(Event::Cancel(None)),
        Ok(Handled::Already { sequence: fence })
    );
    assert!(conflict(&run.event(Event::Retried(None))));
}

#[test]
fn c4_a_failure_after_a_cancel_changes_nothing() {
    let mut run = Run::of(&["a1", "c2"], &[]);
    run.does(Event::Cancel(None)).did();
    run.end("a1", broken(false)).end("c2", broken(false));
    assert_eq!(run.did(), "attempt_settled attempt_settled cancelled");
    assert_eq!(run.status(), Status::Cancelled);
}

#[test]
fn c4_a_run_that_has_ended_without_a_cancel_cannot_be_cancelled() {
    let mut run = Run::of(&["s1"], &[]);
    assert!(conflict(&run.event(Event::Cancel(Some(run.sequence())))));
    let mut run = Run::of(&["x1"], &[]);
    assert!(conflict(&run.event(Event::Cancel(None))));
}

#[test]
fn c4_a_cancel_ends_each_kind_of_control() {
    for (node, left) in [
        ("a1", 1),
        ("c1", 1),
        ("g1", 1),
        ("i1", 0),
        ("n1", 0),
        ("w1", 0),
        ("r1", 1),
    ] {
        let mut run = Run::of(&[node], &[]);
        run.does(Event::Cancel(None));
        assert_eq!(run.machine.checkpoint().controls.len(), left, "{node}");
        assert_eq!(run.status() == Status::Cancelled, left == 0, "{node}");
    }
    // A wait for the next attempt ends at once.
    let mut run = Run::of(&["r1"], &[]);
    run.end("r1", broken(true)).does(Event::Cancel(None));
    assert_eq!(run.status(), Status::Cancelled);
}

#[test]
fn c4_a_cancel_before_the_first_run_iteration_begins_nothing() {
    let definition = graph(&["a1", "s2"], &[], &[]);
    let rules = super::toy::Toy::new(&definition);
    let start = Start::new(rules.start());
    let mut machine = Machine::start(definition, rules, Limits::default(), start).unwrap();
    let cancelled = machine.handle(Event::Cancel(Some(0)), 5);
    assert!(matches!(cancelled, Ok(Handled::Moved(_))));
    let step = machine.advance(5).unwrap().expect("the end");
    assert_eq!((step.transition.name(), step.sequence), ("cancelled", 2));
    assert_eq!(machine.checkpoint().phase, Phase::Cancelled { cancel: 0 });
}

#[test]
fn c5_a_fence_is_valid_as_long_as_no_transition_happened() {
    let mut run = Run::of(&["a1"], &[]);
    let fence = run.sequence();
    // Time passes, leases are renewed: no transition.
    run.pass(5_000);
    run.does(Event::Cancel(Some(fence)));
}

#[test]
fn an_event_before_what_follows_is_a_bug_of_the_caller() {
    let definition = graph(&["a1"], &[], &[]);
    let rules = super::toy::Toy::new(&definition);
    let start = Start::new(rules.start());
    let mut machine = Machine::start(definition, rules, Limits::default(), start).unwrap();
    let early = machine.handle(Event::Stopped { control: 1 }, 0);
    assert_eq!(early, Err(Rejection::Early { sequence: 0 }));
}
