//! Each transition by name, and from where it is permitted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::run::{Run, broken, done};
use crate::machine::{
    Admission, Checkpoint, Control, Event, Failure, Open, Phase, Settlements, Transition,
};
use crate::state::State;

#[test]
fn c1_every_transition_happens_by_name_in_the_order_given() {
    let mut run = Run::of(&["a1", "r2", "s3"], &["r2->a4"]);
    run.does(Event::Pause).does(Event::Resume(None));
    run.end("r2", broken(true)).pass(1_000).ends("r2");
    let halts = match done("a1") {
        crate::machine::Ending::Complete(complete) => {
            crate::machine::Ending::Complete(crate::machine::Complete {
                halt: true,
                ..complete
            })
        }
        failed => failed,
    };
    run.end("a1", halts);
    run.does(Event::Resume(None)).end("a4", broken(false));
    run.does(Event::Retried(None)).ends("a4");
    assert_eq!(
        run.did(),
        "stage park park paused resumed retry retry_ready stage stage barrier halted resumed \
         routed park stage failing failed failed_retry park stage barrier routed succeeded"
    );
}

/// One checkpoint for each phase, admission, and open or empty.
fn checkpoints() -> Vec<(&'static str, Checkpoint)> {
    let failure = |ordinal| Failure {
        category: crate::Category::Action,
        message: "broken".into(),
        node: None,
        ordinal,
    };
    let control = Control {
        sequence: 1,
        deadline: 9,
        given: Arc::new(crate::program::Begin::Decided(Vec::new())),
        asked: None,
        open: Open::Sleep,
    };
    let phases = [
        (
            "routing",
            Phase::Routing {
                sources: Vec::new(),
            },
        ),
        ("active", Phase::Active),
        (
            "failing",
            Phase::Failing {
                failure: failure(None),
                cancel: None,
            },
        ),
        ("cancelling", Phase::Cancelling { cancel: 1 }),
        ("succeeded", Phase::Succeeded),
        (
            "failed",
            Phase::Failed {
                failure: failure(Some(1)),
                cancel: None,
            },
        ),
        ("cancelled", Phase::Cancelled { cancel: 1 }),
    ];
    let mut all = Vec::new();
    for (name, phase) in phases {
        for admission in [Admission::Background, Admission::Prepared] {
            for open in [false, true] {
                let controls = open.then(|| (0, control.clone())).into_iter().collect();
                all.push((
                    name,
                    Checkpoint {
                        sequence: 5,
                        superstep: 0,
                        base: 0,
                        state: Arc::new(State::default()),
                        frontier: Arc::default(),
                        settled_joins: Arc::default(),
                        staged: BTreeMap::new(),
                        controls,
                        phase: phase.clone(),
                        admission: admission.clone(),
                        position: None,
                        outcomes: Arc::default(),
                        settlements: Settlements::default(),
                    },
                ));
            }
        }
    }
    all
}

#[test]
fn c1_each_transition_is_permitted_from_the_phases_of_its_row_only() {
    let rows: [(Transition, &[&str]); 18] = [
        (Transition::Park, &["active", "failing", "cancelling"]),
        (
            Transition::Settlement,
            &["routing", "active", "failing", "cancelling"],
        ),
        (Transition::Stage, &["active", "failing"]),
        (Transition::Resolve, &["active", "failing", "cancelling"]),
        (Transition::Retry, &["active"]),
        (Transition::RetryReady, &["active"]),
        (Transition::Failing, &["active", "routing"]),
        (Transition::Barrier, &["active"]),
        (Transition::Routed, &["routing"]),
        (Transition::Paused, &["active", "routing"]),
        (Transition::Resumed, &["active", "routing"]),
        (Transition::Halted, &["routing"]),
        (Transition::CancelIntent, &["routing", "active", "failing"]),
        (Transition::AttemptSettled, &["failing", "cancelling"]),
        (Transition::Succeeded, &["active"]),
        (Transition::Failed, &["failing"]),
        (Transition::Cancelled, &["cancelling"]),
        (Transition::FailedRetry, &["failed"]),
    ];
    for ((transition, phases), listed) in rows.into_iter().zip(Transition::ALL) {
        assert_eq!(transition, listed);
        let permitted = checkpoints();
        let permitted = permitted
            .iter()
            .filter(|(_, from)| transition.permitted(from));
        let permitted: BTreeSet<&str> = permitted.map(|(name, _)| *name).collect();
        assert_eq!(permitted, phases.iter().copied().collect(), "{transition}");
    }
}

#[test]
fn c1_admission_and_open_controls_narrow_the_rows() {
    let never = |transition: Transition, admission: Admission, open: bool| {
        let all = checkpoints();
        let mut some = all
            .iter()
            .filter(|(_, from)| from.admission == admission && from.controls.is_empty() != open);
        assert!(
            !some.any(|(_, from)| transition.permitted(from)),
            "{transition} {open}"
        );
    };
    let begins = [
        Transition::Barrier,
        Transition::Routed,
        Transition::Halted,
        Transition::RetryReady,
        Transition::Succeeded,
        Transition::Paused,
    ];
    for transition in begins {
        never(transition, Admission::Prepared, true);
        never(transition, Admission::Prepared, false);
    }
    never(Transition::Resumed, Admission::Background, true);
    for transition in [
        Transition::Barrier,
        Transition::Failed,
        Transition::Cancelled,
    ] {
        never(transition, Admission::Background, true);
    }
    for transition in [
        Transition::Retry,
        Transition::AttemptSettled,
        Transition::Settlement,
    ] {
        never(transition, Admission::Background, false);
    }
}
