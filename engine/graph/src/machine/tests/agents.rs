//! Attempts of agents: their evidence, their questions and their abort.

use serde_json::json;

use super::interactions::{conflict, decide};
use super::run::{Run, broken, done};
use crate::machine::{
    Abort, Command, Decision, Event, Evidence, Handled, InteractionKind, Notice, Open, Rejection,
    SettlementState, Status,
};

fn notice(run: &Run, notice: Notice) -> Event {
    let control = run.control("g1");
    Event::Notice { control, notice }
}

fn reports(run: &mut Run, report: Notice) {
    let event = notice(run, report);
    run.does(event);
}

fn attempt(run: &Run) -> crate::machine::Attempt {
    let controls = &run.machine.checkpoint().controls;
    let open = controls.values().map(|control| &control.open);
    let mut attempts = open.filter_map(|open| match open {
        Open::Attempt(attempt) => Some(attempt.clone()),
        _ => None,
    });
    attempts.next().expect("an attempt")
}

fn dispatched() -> Run {
    let mut run = Run::of(&["g1"], &[]);
    reports(&mut run, Notice::Dispatched("c1".into()));
    run.did();
    run
}

fn asks() -> Run {
    let mut run = dispatched();
    reports(&mut run, Notice::Asks("c1".into(), json!({ "id": "q1" })));
    assert_eq!(run.did(), "settlement");
    run
}

fn yes() -> Decision {
    Decision::Answer(json!("yes"))
}

#[test]
fn a1_evidence_grows_by_notices_and_a_repeated_notice_is_no_transition() {
    let mut run = Run::of(&["g1"], &[]);
    run.did();
    assert_eq!(attempt(&run).evidence, Evidence::Intent);
    reports(&mut run, Notice::Dispatched("c1".into()));
    assert_eq!(run.did(), "park");
    let again = notice(&run, Notice::Dispatched("c1".into()));
    assert!(matches!(run.event(again), Ok(Handled::Already { .. })));
    run.ends("g1");
    assert_eq!(run.status(), Status::Succeeded);
}

#[test]
fn a2_an_identity_never_changes_not_even_in_the_next_attempt() {
    let mut run = dispatched();
    let other = |run: &Run| notice(run, Notice::Dispatched("c2".into()));
    let event = other(&run);
    assert!(matches!(run.event(event), Err(Rejection::Disallowed(_))));
    run.end("g1", broken(true)).pass(1_000);
    assert_eq!(attempt(&run).kept.as_deref(), Some("c1"));
    assert_eq!(
        (attempt(&run).number, attempt(&run).evidence),
        (2, Evidence::Intent)
    );
    let event = other(&run);
    assert!(matches!(run.event(event), Err(Rejection::Disallowed(_))));
    reports(&mut run, Notice::Dispatched("c1".into()));
}

#[test]
fn i4_an_answer_is_intended_passed_on_and_applied_when_it_is_delivered() {
    let mut run = asks();
    let control = run.control("g1");
    let shown = run.machine.checkpoint().interactions();
    assert_eq!(
        (shown[0].kind, shown[0].actionable),
        (InteractionKind::Notification, true)
    );
    run.does(decide(control, 0, yes()));
    let passed = Command::Pass {
        control,
        generation: 0,
        value: json!("yes"),
    };
    assert_eq!(run.commands(), [passed]);
    assert_eq!(run.event(decide(control, 0, yes())), Ok(Handled::Intended));
    assert!(!run.machine.checkpoint().interactions()[0].actionable);
    assert!(conflict(&run.event(decide(
        control,
        0,
        Decision::Answer(json!("no"))
    ))));
    reports(&mut run, Notice::Delivered);
    let sequence = run.sequence();
    assert_eq!(run.did(), "settlement settlement");
    assert_eq!(
        run.event(decide(control, 0, yes())),
        Ok(Handled::Already { sequence })
    );
    // The next question is the next generation.
    reports(&mut run, Notice::Asks("c1".into(), json!({ "id": "q2" })));
    assert_eq!(
        run.commands(),
        [Command::Ask {
            control,
            generation: 1
        }]
    );
}

#[test]
fn i4_an_uncertain_answer_is_followed_by_an_unknown_and_an_abort() {
    let mut run = asks();
    let control = run.control("g1");
    run.does(decide(control, 0, yes())).did();
    reports(&mut run, Notice::Uncertain);
    assert_eq!(run.did(), "settlement");
    let expected = [
        Command::Ask {
            control,
            generation: 1,
        },
        Command::Abort { control },
    ];
    assert_eq!(run.commands(), expected);
    let made = run
        .machine
        .checkpoint()
        .settlements
        .get(control, 0)
        .map(|made| made.state);
    assert_eq!(made, Some(SettlementState::Uncertain));
    assert!(matches!(
        run.event(decide(control, 0, yes())),
        Ok(Handled::Already { .. })
    ));
}

#[test]
fn i4_an_end_that_comes_while_a_question_is_open_waits_until_it_is_settled() {
    let mut run = asks();
    let control = run.control("g1");
    let ended = Event::Ended {
        control,
        ending: done("g1"),
    };
    assert_eq!(run.event(ended), Ok(Handled::Held));
    run.does(decide(control, 0, yes())).did();
    reports(&mut run, Notice::Delivered);
    assert_eq!(run.did(), "settlement stage barrier routed succeeded");
}

#[test]
fn i4_an_end_that_waits_counts_at_once_when_the_run_stops() {
    let mut run = asks();
    let control = run.control("g1");
    let ended = Event::Ended {
        control,
        ending: done("g1"),
    };
    assert_eq!(run.event(ended), Ok(Handled::Held));
    run.does(Event::Cancel(None));
    assert_eq!(run.did(), "cancel_intent attempt_settled cancelled");
}

#[test]
fn i5_an_unknown_with_identity_is_aborted_and_a_retry_is_safe_once_that_is_applied() {
    let mut run = dispatched();
    let control = run.control("g1");
    reports(&mut run, Notice::Unknown(Some("c1".into())));
    assert_eq!(run.did(), "park");
    assert_eq!(attempt(&run).abort, Abort::Intended);
    let retry = || decide(control, 0, Decision::Retry { forced: None });
    assert!(conflict(&run.event(retry())));
    reports(&mut run, Notice::Aborted);
    let shown = run.machine.checkpoint().interactions();
    assert_eq!(shown[0].kind, InteractionKind::Unknown { retry_safe: true });
    run.does(retry()).pass(1_000);
    assert_eq!(run.did(), "park retry retry_ready");
    let next = attempt(&run);
    assert_eq!(
        (next.number, next.abort, next.kept.as_deref()),
        (2, Abort::Idle, Some("c1"))
    );
}

#[test]
fn i5_force_is_for_actions_only() {
    let mut run = dispatched();
    let control = run.control("g1");
    reports(&mut run, Notice::Unknown(Some("c1".into())));
    let forced = Some("now".to_owned());
    assert!(conflict(&run.event(decide(
        control,
        0,
        Decision::Retry { forced }
    ))));
}

#[test]
fn a3_a_stopping_run_waits_for_the_abort_and_is_settled_by_its_proof() {
    let mut run = dispatched();
    let control = run.control("g1");
    run.does(Event::Cancel(None));
    assert_eq!(run.commands(), [Command::Abort { control }]);
    assert_eq!(run.status(), Status::Cancelling);
    reports(&mut run, Notice::Aborted);
    assert_eq!(run.did(), "cancel_intent attempt_settled cancelled");
    // A late answer counts for nothing.
    let ended = Event::Ended {
        control,
        ending: done("g1"),
    };
    assert_eq!(run.event(ended), Ok(Handled::Late));
}

#[test]
fn a3_an_abort_without_proof_waits_for_a_decision() {
    let mut run = dispatched();
    let control = run.control("g1");
    run.does(Event::Cancel(None)).did();
    let accept = || Decision::Accept([].into());
    assert!(run.machine.checkpoint().interactions().is_empty());
    reports(&mut run, Notice::AbortUnknown);
    assert_eq!(run.did(), "park");
    let shown = run.machine.checkpoint().interactions();
    assert_eq!(
        shown[0].kind,
        InteractionKind::Unknown { retry_safe: false }
    );
    assert!(shown[0].actionable);
    run.does(decide(control, 0, accept()));
    assert_eq!(run.did(), "resolve cancelled");
}

#[test]
fn a3_an_unknown_whose_abort_is_under_way_is_not_actionable_while_the_run_stops() {
    let mut run = dispatched();
    let control = run.control("g1");
    reports(&mut run, Notice::Unknown(None));
    run.does(Event::Cancel(None));
    let shown = run.machine.checkpoint().interactions();
    assert!(!shown[0].actionable);
    let fail = || Decision::Fail {
        message: "no".into(),
    };
    assert!(conflict(&run.event(decide(control, 0, fail()))));
    reports(&mut run, Notice::AbortUnknown);
    run.does(decide(control, 0, fail()));
    assert_eq!(run.status(), Status::Cancelled);
}

#[test]
fn a3_an_abort_that_was_applied_before_settles_the_attempt_at_once() {
    let mut run = dispatched();
    reports(&mut run, Notice::Unknown(None));
    reports(&mut run, Notice::Aborted);
    run.did();
    run.does(Event::Cancel(None));
    assert_eq!(run.did(), "cancel_intent attempt_settled cancelled");
}

#[test]
fn a3_an_unknown_without_identity_needs_a_decision_when_the_run_stops() {
    let mut run = Run::of(&["g1"], &[]);
    reports(&mut run, Notice::Unknown(None));
    assert_eq!(attempt(&run).abort, Abort::Idle);
    run.does(Event::Cancel(None));
    assert!(run.machine.checkpoint().interactions()[0].actionable);
    assert_eq!(run.status(), Status::Cancelling);
}

#[test]
fn a_question_without_a_decision_closes_when_the_outcome_becomes_unknown() {
    let mut run = asks();
    let control = run.control("g1");
    reports(&mut run, Notice::Unknown(Some("c1".into())));
    assert_eq!(run.did(), "park");
    let stale = Rejection::StaleFence {
        expected: 0,
        found: 1,
    };
    assert_eq!(run.event(decide(control, 0, yes())), Err(stale));
}

#[test]
fn an_agent_that_answers_while_the_run_fails_is_kept_for_a_retry() {
    let mut run = Run::of(&["a0", "g1"], &[]);
    run.end("a0", broken(false)).did();
    run.ends("g1");
    assert_eq!(run.did(), "stage failed");
    run.does(Event::Retried(None));
    assert_eq!(run.machine.checkpoint().staged.len(), 1);
}

#[test]
fn reports_that_no_attempt_can_make_are_bugs_of_the_runner() {
    let refused = |mut run: Run, report: Notice| {
        let sequence = run.sequence();
        let event = notice(&run, report);
        assert!(matches!(run.event(event), Err(Rejection::Disallowed(_))));
        assert_eq!(run.sequence(), sequence);
    };
    refused(dispatched(), Notice::Aborted);
    refused(dispatched(), Notice::Uncertain);
    refused(asks(), Notice::Uncertain);
    refused(asks(), Notice::Asks("c1".into(), json!({ "id": "q2" })));
    refused(dispatched(), Notice::Absent);
    let mut run = Run::of(&["w1"], &[]);
    let control = run.control("w1");
    let report = Notice::Delivered;
    let wrong = run.event(Event::Notice {
        control,
        notice: report,
    });
    assert!(matches!(wrong, Err(Rejection::Disallowed(_))));
}

#[test]
fn an_attempt_whose_abort_was_requested_is_not_made_again_by_policy() {
    let mut run = dispatched();
    reports(&mut run, Notice::Unknown(Some("c1".into())));
    run.did();
    run.end("g1", broken(true));
    assert_eq!(run.did(), "stage failing failed");
}

#[test]
fn i3_a_decision_that_the_stop_leaves_open_is_uncertain() {
    let mut run = asks();
    let control = run.control("g1");
    run.does(decide(control, 0, yes()))
        .does(Event::Cancel(None));
    reports(&mut run, Notice::Aborted);
    let made = run
        .machine
        .checkpoint()
        .settlements
        .get(control, 0)
        .map(|made| made.state);
    assert_eq!(made, Some(SettlementState::Uncertain));
    let sequence = run.sequence();
    assert_eq!(
        run.event(decide(control, 0, yes())),
        Ok(Handled::Already { sequence })
    );
}
