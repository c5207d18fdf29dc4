//! Interactions as far as the machine decides them.

use serde_json::{Value, json};

use super::run::{Run, broken};
use crate::Category;
use crate::definition::{Name, StateKey};
use crate::machine::{
    Command, Decision, Event, Handled, InteractionKind, Notice, Rejection, Resolution,
    SettlementState, Status,
};

pub(super) fn decide(sequence: u64, generation: u64, decision: Decision) -> Event {
    Event::Resolve(Resolution {
        sequence,
        generation,
        decision,
    })
}

pub(super) fn conflict(result: &Result<Handled, Rejection>) -> bool {
    matches!(result, Err(Rejection::Conflict { .. }))
}

fn answer(value: impl Into<Value>) -> Decision {
    Decision::Answer(value.into())
}

fn sealed(names: &[&str]) -> Decision {
    let names = names
        .iter()
        .map(|name| Name::parse(name).unwrap())
        .collect();
    let digest = "d1".to_owned();
    Decision::Sealed { names, digest }
}

#[test]
fn i1_an_answer_contributes_to_the_target_and_is_the_result() {
    let mut run = Run::of(&["i1"], &["i1->a2"]);
    let control = run.control("i1");
    assert_eq!(
        run.commands(),
        [Command::Ask {
            control,
            generation: 0
        }]
    );
    let shown = run.machine.checkpoint().interactions();
    assert_eq!(
        (shown[0].kind, shown[0].actionable),
        (InteractionKind::Input, true)
    );
    assert_eq!((shown[0].asked_at, shown[0].deadline), (1_000, 11_000));
    run.did();
    run.does(decide(control, 0, answer("yes")));
    assert_eq!(run.did(), "resolve barrier routed park");
    assert_eq!(run.log(), json!(["yes"]));
    assert_eq!(
        *run.machine.checkpoint().outcomes[0].result,
        json!({ "value": "yes" })
    );
}

#[test]
fn i1_an_invalid_answer_is_rejected_at_the_caller_and_asked_again_by_the_run() {
    let mut run = Run::of(&["i1"], &[]);
    let control = run.control("i1");
    let bad = Resolution {
        sequence: control,
        generation: 0,
        decision: answer("bad"),
    };
    let rejected = run.machine.resolvable(&bad, run.now);
    assert!(matches!(rejected, Err(Rejection::InvalidInput { .. })));
    run.did();
    run.does(Event::Resolve(bad));
    assert_eq!(run.did(), "settlement");
    let again = Command::Ask {
        control,
        generation: 1,
    };
    assert!(matches!(&run.commands()[..], [Command::Refuse { .. }, ask] if *ask == again));
    let stale = Rejection::StaleFence {
        expected: 0,
        found: 1,
    };
    assert_eq!(run.event(decide(control, 0, answer("yes"))), Err(stale));
    run.does(decide(control, 1, answer("yes")));
    assert_eq!(run.status(), Status::Succeeded);
}

#[test]
fn i2_inputs_end_their_control_and_the_attempt_parks_next() {
    let mut run = Run::of(&["n1"], &[]);
    let control = run.control("n1");
    run.did();
    let wrong = Resolution {
        sequence: control,
        generation: 0,
        decision: sealed(&["pin", "tan"]),
    };
    let rejected = run.machine.resolvable(&wrong, run.now);
    assert!(matches!(rejected, Err(Rejection::InvalidInput { .. })));
    run.does(decide(control, 0, sealed(&["pin"])));
    assert_eq!(run.did(), "settlement park");
    assert!(run.control("n1") > control);
    // The deadline counts from the beginning of the activation.
    assert_eq!(run.machine.next_timer(), Some(11_000));
    run.ends("n1");
    assert_eq!(run.status(), Status::Succeeded);
}

#[test]
fn i2_values_that_are_lost_are_asked_for_in_a_new_generation() {
    let mut run = Run::of(&["n1"], &[]);
    let control = run.control("n1");
    run.does(Event::InputsLost { control });
    assert_eq!(
        run.commands(),
        [Command::Ask {
            control,
            generation: 1
        }]
    );
    run.does(decide(control, 1, sealed(&["pin"])));
}

#[test]
fn i3_the_same_decision_again_answers_with_its_checkpoint_also_after_the_end() {
    let mut run = Run::of(&["i1"], &[]);
    let control = run.control("i1");
    let first = run.event(decide(control, 0, answer("yes")));
    let Ok(Handled::Moved(step)) = first else {
        panic!("{first:?}");
    };
    let sequence = step.sequence;
    assert_eq!(run.status(), Status::Succeeded);
    let again = run.event(decide(control, 0, answer("yes")));
    assert_eq!(again, Ok(Handled::Already { sequence }));
    assert!(conflict(&run.event(decide(control, 0, answer("no")))));
    assert!(conflict(&run.event(decide(control, 1, answer("yes")))));
}

#[test]
fn i3_a_resolution_that_is_not_actionable_is_a_conflict() {
    let mut run = Run::of(&["i1", "a2"], &[]);
    let (control, action) = (run.control("i1"), run.control("a2"));
    let decline = || Decision::Fail {
        message: "no".into(),
    };
    assert!(conflict(&run.event(decide(control, 0, decline()))));
    assert!(conflict(&run.event(decide(action, 0, answer("yes")))));
    assert!(conflict(&run.event(decide(99, 0, answer("yes")))));
    run.end("a2", broken(false));
    assert!(conflict(&run.event(decide(control, 0, answer("yes")))));
}

#[test]
fn i3_beyond_the_limit_settlements_are_kept_by_digest_and_still_recognized() {
    let loops = super::run::graph(&["i1"], &["i1->i1"], &[]);
    let limits = crate::Limits {
        settlements: 2,
        ..crate::Limits::default()
    };
    let mut run = Run::with(&loops, limits, |_| {});
    let mut first = None;
    for round in 0..5 {
        let control = run.control("i1");
        first.get_or_insert(control);
        run.does(decide(control, 0, answer(round)));
    }
    let settlements = &run.machine.checkpoint().settlements;
    let full = settlements
        .iter()
        .filter(|(_, made)| made.decision.is_some());
    assert_eq!((full.count(), settlements.iter().count()), (2, 5));
    let first = first.expect("five rounds");
    let again = run.event(decide(first, 0, answer(0)));
    assert!(matches!(again, Ok(Handled::Already { .. })));
    assert!(conflict(&run.event(decide(first, 0, answer(1)))));
}

#[test]
fn i5_an_attempt_that_is_made_at_most_once_parks_when_it_is_lost() {
    let lost = || {
        let mut run = Run::of(&["o1", "a2"], &[]);
        let control = run.control("o1");
        run.did();
        run.does(Event::Lost { control });
        assert_eq!(run.did(), "park");
        let shown = run.machine.checkpoint().interactions();
        assert_eq!(
            shown[0].kind,
            InteractionKind::Unknown { retry_safe: false }
        );
        assert!(shown[0].actionable);
        (run, control)
    };
    let (mut run, control) = lost();
    let values = |key: &str, value: &str| {
        let key = StateKey::parse(key).unwrap();
        Decision::Accept([(key, json!(value))].into())
    };
    for wrong in [values("nothing", "v"), values("log", "bad")] {
        let wrong = Resolution {
            sequence: control,
            generation: 0,
            decision: wrong,
        };
        let rejected = run.machine.resolvable(&wrong, run.now);
        assert!(matches!(rejected, Err(Rejection::InvalidInput { .. })));
    }
    run.does(decide(control, 0, values("log", "it happened")))
        .ends("a2");
    assert_eq!(run.log(), json!(["a2", "it happened"]));

    let (mut run, control) = lost();
    run.does(decide(
        control,
        0,
        Decision::Fail {
            message: "it did not".into(),
        },
    ));
    assert_eq!(
        run.failure(),
        (Category::Action, Some("o1".into()), Some(1))
    );

    // A retry is safe only if the handler found no effect, or an operator forces it.
    let (mut run, control) = lost();
    let retry = |forced: Option<&str>| Decision::Retry {
        forced: forced.map(Into::into),
    };
    assert!(conflict(&run.event(decide(control, 0, retry(None)))));
    run.does(Event::Notice {
        control,
        notice: Notice::Absent,
    });
    run.does(decide(control, 0, retry(None)));
    run.pass(1_000);
    assert_eq!(run.did(), "park retry retry_ready");
    let (mut run, control) = lost();
    run.does(decide(
        control,
        0,
        retry(Some("the bank has no such transfer")),
    ));
    assert_eq!(run.did(), "retry");
}

#[test]
fn i5_a_retry_that_the_policy_or_the_deadline_forbids_is_a_conflict() {
    let mut run = Run::of(&["o1"], &[]);
    let control = run.control("o1");
    run.does(Event::Lost { control }).pass(9_500);
    let forced = Some("why not".to_owned());
    assert!(conflict(&run.event(decide(
        control,
        0,
        Decision::Retry { forced }
    ))));
}

#[test]
fn i5_while_the_run_stops_only_accept_and_fail_settle_an_unknown() {
    for failing in [true, false] {
        for accept in [true, false] {
            let mut run = Run::of(&["a1", "o2"], &[]);
            let control = run.control("o2");
            run.does(Event::Lost { control });
            if failing {
                run.end("a1", broken(false));
            } else {
                run.ends("a1").does(Event::Cancel(None));
            }
            let forced = Some("why not".to_owned());
            assert!(conflict(&run.event(decide(
                control,
                0,
                Decision::Retry { forced }
            ))));
            let decision = if accept {
                Decision::Accept([(StateKey::parse("log").unwrap(), json!("late"))].into())
            } else {
                Decision::Fail {
                    message: "no".into(),
                }
            };
            run.did();
            run.does(decide(control, 0, decision));
            let ends = if failing {
                "resolve failed"
            } else {
                "resolve cancelled"
            };
            assert_eq!(run.did(), ends);
            // It contributes nothing and is no failure.
            assert_eq!(run.log(), json!([]));
            if failing {
                assert_eq!(run.failure().1, Some("a1".into()));
                // What was accepted has happened, so a retry does not make it again.
                run.does(Event::Retried(None));
                assert_eq!(run.machine.checkpoint().staged.len(), usize::from(accept));
            }
        }
    }
}

#[test]
fn a_settlement_shows_where_it_was_applied() {
    let mut run = Run::of(&["i1", "a2"], &[]);
    let control = run.control("i1");
    run.does(decide(control, 0, answer("yes")));
    let made = run
        .machine
        .checkpoint()
        .settlements
        .get(control, 0)
        .cloned();
    let sequence = run.sequence();
    let made = made.expect("a settlement");
    assert_eq!(made.state, SettlementState::Applied { sequence });
    assert_eq!(made.decision, Some(answer("yes")));
}

#[test]
fn i1_what_is_no_decision_is_asked_for_again() {
    let mut run = Run::of(&["i1", "a1"], &[]);
    let control = run.control("i1");
    run.does(Event::Unusable { control });
    let generation = 1;
    assert_eq!(
        run.commands(),
        [Command::Ask {
            control,
            generation
        }]
    );
    let stale = run.event(decide(control, 0, answer("yes")));
    assert!(matches!(stale, Err(Rejection::StaleFence { .. })));
    run.does(decide(control, 1, answer("yes")));
    let gone = run.event(Event::Unusable { control });
    assert_eq!(gone, Ok(Handled::Late));
    let control = run.control("a1");
    let refused = run.event(Event::Unusable { control });
    assert!(matches!(refused, Err(Rejection::Disallowed(_))));
}

#[test]
fn what_an_activation_will_get_is_its_ordinal() {
    let mut run = Run::of(&["a1", "s2", "a3"], &["a1->a4"]);
    let ordinal = |run: &Run, node: &str| run.machine.ordinal(run.control(node));
    assert_eq!(ordinal(&run, "a1"), Some(0));
    assert_eq!(ordinal(&run, "a3"), Some(1));
    run.ends("a1").ends("a3");
    assert_eq!(ordinal(&run, "a4"), Some(3));
    assert_eq!(run.machine.ordinal(99), None);
}
