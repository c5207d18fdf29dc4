//! Status and interactions, for each phase, admission and kind of control.

use std::num::NonZeroU64;
use std::sync::Arc;

use serde_json::json;

use super::interactions::decide;
use super::run::{Run, broken, done, graph};
use super::toy::Toy;
use crate::definition::{Name, NodeId};
use crate::machine::{
    Bound, Decision, Event, Handled, InteractionKind, Machine, Rest, Start, Status,
};
use crate::{Category, Limits};

#[test]
fn c3_the_first_rule_that_applies_gives_the_status() {
    let mut run = Run::of(&["a1", "a2"], &[]);
    assert_eq!(run.status(), Status::Running);
    run.does(Event::Pause);
    // Work is open; the phase comes before the admission.
    assert_eq!(run.status(), Status::Running);
    run.end("a1", broken(false));
    assert_eq!(run.status(), Status::Running);
    run.ends("a2");
    assert_eq!(run.status(), Status::Failed);
    let mut run = Run::of(&["a1"], &[]);
    run.does(Event::Pause).does(Event::Cancel(None));
    assert_eq!(run.status(), Status::Cancelling);
    run.ends("a1");
    assert_eq!(run.status(), Status::Cancelled);
}

#[test]
fn c3_a_pause_is_shown_once_no_attempt_and_no_child_is_open() {
    for (node, paused) in [
        ("i1", true),
        ("n1", true),
        ("w1", true),
        ("a1", false),
        ("c1", false),
        ("g1", false),
        ("o1", false),
    ] {
        let mut run = Run::of(&[node], &[]);
        run.does(Event::Pause);
        assert_eq!(run.status() == Status::Paused, paused, "{node}");
    }
}

#[test]
fn c3_a_run_that_waits_for_a_person_is_running_with_interactions_in_order() {
    let run = Run::of(&["n3", "i2", "i1", "a4"], &[]);
    assert_eq!(run.status(), Status::Running);
    let shown = run.machine.checkpoint().interactions();
    let nodes: Vec<_> = shown.iter().map(|it| it.node.as_str()).collect();
    assert_eq!(nodes, ["i1", "i2", "n3"]);
    assert_eq!(shown[2].kind, InteractionKind::Inputs);
    assert_eq!(shown[1].activation.to_string(), "0.2");
}

#[test]
fn c3_interactions_are_shown_in_a_pause_and_neither_while_stopping_nor_after_the_end() {
    let mut run = Run::of(&["a1", "i2"], &[]);
    run.does(Event::Pause);
    assert_eq!(run.machine.checkpoint().interactions().len(), 1);
    run.does(Event::Cancel(None));
    assert!(run.machine.checkpoint().interactions().is_empty());
    run.ends("a1");
    assert!(run.machine.checkpoint().interactions().is_empty());
}

#[test]
fn p1_each_kind_of_control_ends_in_a_pause_and_the_run_continues_at_the_resume() {
    for node in ["a1", "c1", "g1", "o1", "r1", "w1", "i1", "n1"] {
        let mut run = Run::of(&[node], &[]);
        run.does(Event::Pause);
        let control = run.control(node);
        match &node[..1] {
            "i" => run.does(decide(control, 0, Decision::Answer(json!("yes")))),
            "n" => {
                let names = vec![Name::parse("pin").unwrap()];
                let digest = "d".to_owned();
                run.does(decide(control, 0, Decision::Sealed { names, digest }))
            }
            _ => run.ends(node),
        };
        assert_eq!(run.status(), Status::Paused, "{node}");
        assert_eq!(run.machine.checkpoint().superstep, 0, "{node}");
        run.does(Event::Resume(None));
        if node == "n1" {
            run.ends(node);
        }
        assert_eq!(run.status(), Status::Succeeded, "{node}");
    }
}

fn fresh() -> (Arc<crate::definition::Definition>, Toy) {
    let definition = graph(&["a1", "s2"], &["a1->a3"], &[]);
    let rules = Toy::new(&definition);
    (definition, rules)
}

#[test]
fn f2_a_hook_may_fail_before_anything_runs() {
    let (definition, rules) = fresh();
    let start = Start::new(rules.start());
    let mut machine = Machine::start(definition, rules, Limits::default(), start).unwrap();
    let failed = machine.handle(
        Event::Fail {
            category: Category::Hook,
            message: "registered failed".into(),
            activation: None,
        },
        0,
    );
    assert!(matches!(failed, Ok(Handled::Moved(_))));
    let end = machine.advance(0).unwrap().expect("the end");
    assert_eq!((end.transition.name(), end.sequence), ("failed", 2));
    let failure = machine.checkpoint().phase.failure().expect("a failure");
    assert_eq!((failure.category, failure.ordinal), (Category::Hook, None));
    assert!(machine.checkpoint().settlements.iter().next().is_none());
}

#[test]
fn i2_an_action_whose_values_were_given_ahead_does_not_ask() {
    let definition = graph(&["n1"], &[], &[]);
    let name = |text: &str| Name::parse(text).unwrap();
    let given = |names: &[&str]| {
        let names = names.iter().map(|text| name(text)).collect();
        Run::with(&definition, Limits::default(), |start| start.sealed = names)
    };
    let mut ahead = given(&["other", "pin"]);
    assert!(ahead.machine.checkpoint().interactions().is_empty());
    ahead.ends("n1");
    assert_eq!(ahead.status(), Status::Succeeded);
    assert_eq!(
        given(&["other"]).machine.checkpoint().interactions().len(),
        1
    );
}

#[test]
fn a_start_that_names_an_unknown_node_is_refused() {
    let nowhere = NodeId::parse("nowhere").unwrap();
    let (definition, rules) = fresh();
    let mut start = Start::new(rules.start());
    start.bound = Some(Bound::Before(nowhere.clone()));
    let refused = Machine::start(
        Arc::clone(&definition),
        rules.clone(),
        Limits::default(),
        start,
    );
    let error = refused.expect_err("an unknown node");
    assert_eq!(
        (error.node, error.named_by.as_str()),
        (nowhere.clone(), "bound")
    );
    let mut start = Start::new(rules.start());
    start.frontier = Some(vec![Arc::new(crate::frontier::Activation {
        node: nowhere,
        id: crate::frontier::ActivationId {
            superstep: 0,
            rank: 0,
        },
        parents: Vec::new(),
        visits: Arc::default(),
    })]);
    let refused = Machine::start(definition, rules, Limits::default(), start);
    assert_eq!(refused.expect_err("an unknown node").named_by, "frontier");
}

#[test]
fn e4_the_bound_the_retries_and_the_sealed_names_continue_with_the_run() {
    let (definition, rules) = fresh();
    let mut start = Start::new(rules.start());
    start.bound = Some(Bound::Supersteps(NonZeroU64::new(3).unwrap()));
    start.sealed = [Name::parse("pin").unwrap()].into();
    let mut run = Run::with(&definition, Limits::default(), |fresh| *fresh = start);
    run.end("a1", broken(false)).does(Event::Retried(None));
    // A retry begins without a bound.
    let rest = Rest {
        bound: None,
        generation: 1,
        sealed: [Name::parse("pin").unwrap()].into(),
    };
    assert_eq!(run.machine.rest(), rest);
    run.end("a1", done("a1"));
    let two = Rest {
        bound: Some(Bound::Supersteps(NonZeroU64::new(2).unwrap())),
        ..rest
    };
    let routed = run
        .steps
        .iter()
        .rfind(|step| step.transition.name() == "routed");
    let at = usize::try_from(routed.expect("a routed").sequence).unwrap();
    let checkpoint = run.checkpoints[at].clone();
    let next = Machine::continued(
        definition,
        rules,
        Limits::default(),
        checkpoint,
        two.clone(),
    );
    assert_eq!(next.unwrap().rest(), two);
}

#[test]
fn a_checkpoint_is_written_with_the_names_of_the_documentation() {
    let mut run = Run::of(&["g1", "i2", "s3"], &["s3->J"]);
    let control = run.control("g1");
    let notice = crate::machine::Notice::Dispatched("c1".into());
    run.does(Event::Notice { control, notice });
    let written = serde_json::to_value(run.machine.checkpoint()).unwrap();
    assert_eq!(written["phase"], json!("active"));
    assert_eq!(written["admission"], json!("background"));
    assert_eq!(
        written["frontier"][2],
        json!({ "node": "s3", "id": "0.2", "parents": [], "visits": {} })
    );
    assert_eq!(
        written["controls"]["0"]["open"]["attempt"],
        json!({
            "role": "agent", "number": 1, "kept": null, "abort": "idle",
            "evidence": { "dispatched": { "identity": "c1" } },
        })
    );
    assert_eq!(
        written["controls"]["1"]["asked"],
        json!({ "generation": 0, "at": 1000 })
    );
    assert_eq!(
        written["staged"]["2"]["complete"]["contributions"],
        json!([["log", "s3"]])
    );
    let (activation, control) = run.machine.control(control).expect("it is open");
    assert_eq!((activation.node.as_str(), control.deadline), ("g1", 11_000));
    assert!(run.machine.control(0).is_none());
}

#[test]
fn an_id_of_an_activation_is_read_only_as_it_is_written() {
    let id = crate::frontier::ActivationId {
        superstep: 12,
        rank: 3,
    };
    assert_eq!("12.3".parse(), Ok(id));
    for wrong in ["", "1", "1.", ".1", "+1.2", "01.2", "1.2.3", "1.-2", "a.b"] {
        assert!(
            wrong.parse::<crate::frontier::ActivationId>().is_err(),
            "{wrong}"
        );
    }
}
