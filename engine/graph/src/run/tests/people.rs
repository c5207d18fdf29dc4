//! Inputs and decisions, unknown effects, pause, resume, halt, cancel, prepared starts.

use std::num::NonZeroU64;
use std::time::Duration;

use millpond::ExecutionId;
use millpond::client::Signal;
use millpond::domain::{Actor, Status};
use serde_json::{Value, json};

use super::world::{Case, graph, work};
use crate::machine::{Bound, Decision};
use crate::run::{Reply, Request, Verb, decision_channel};

fn resume(bound: Option<Bound>) -> Verb {
    Verb::Resume { bound }
}

fn cancel(fence: Option<u64>) -> Verb {
    Verb::Cancel { fence }
}

fn accepted(reply: Option<Reply>) -> u64 {
    match reply {
        Some(Reply::Accepted { sequence }) => sequence,
        other => panic!("not accepted: {other:?}"),
    }
}

fn refused(reply: Option<Reply>) -> String {
    match reply {
        Some(Reply::Refused { error, .. }) => error,
        other => panic!("not refused: {other:?}"),
    }
}

/// An input with a deadline of a day, then an action.
fn question() -> Case {
    let ask =
        json!({"message": "Is {{ state.n }} good?", "schema": {"type": "boolean"}, "target": "a"});
    let nodes = json!({
        "ask": {"input": ask, "deadline": "1d"},
        "x": work(json!({"give": "state.a"})),
    });
    Case::new([graph("g", &["ask"], nodes, json!(["ask -> x"]))])
}

/// Starts it and runs it until it asks. Returns the run, and the sequence of what it asks.
fn asking(case: &Case) -> (ExecutionId, u64) {
    let run = case.start("g", json!({"n": 7}));
    case.world.run_all();
    let snapshot = case.snapshot(run).expect("it asks");
    (run, snapshot.interactions[0].sequence)
}

#[test]
fn i1_an_input_shows_its_message_and_contributes_a_valid_answer() {
    let case = question();
    let (run, sequence) = asking(&case);
    let snapshot = case.snapshot(run).unwrap();
    let asked = &snapshot.interactions[0];
    assert_eq!(snapshot.status, "running");
    assert_eq!(
        (asked.kind.as_str(), asked.node.as_str(), asked.generation),
        ("input", "ask", 0)
    );
    assert_eq!(asked.message.as_deref(), Some("Is 7 good?"));
    assert_eq!(
        serde_json::to_value(&asked.schema).unwrap(),
        json!({"type": "boolean"})
    );
    assert_eq!(asked.deadline - asked.asked_at, 86_400_000);
    case.decide(run, (sequence, 0), &Decision::Answer(json!(true)));
    let state: Value = case.world.result(run).unwrap();
    assert_eq!((&state["a"], &state["log"]), (&json!(true), &json!(["x"])));
    assert!(case.snapshot(run).unwrap().interactions.is_empty());
}

#[test]
fn i1_what_is_no_answer_is_refused_and_asked_for_again() {
    let case = question();
    let (run, sequence) = asking(&case);
    let unreadable = Signal::on(decision_channel(sequence, 1)).value(&json!({"what": 1}));
    let wrong = [
        (0, Decision::Answer(json!("perhaps"))),
        (
            2,
            Decision::Fail {
                message: "no".to_owned(),
            },
        ),
    ];
    case.decide(run, (sequence, 0), &wrong[0].1);
    assert_eq!(
        refused(case.reply(run, &format!("{sequence}-0"))),
        "invalid_input"
    );
    case.send(run, unreadable.key("decision"));
    assert_eq!(
        refused(case.reply(run, &format!("{sequence}-1"))),
        "invalid_input"
    );
    case.decide(run, (sequence, 2), &wrong[1].1);
    assert_eq!(
        refused(case.reply(run, &format!("{sequence}-2"))),
        "conflict"
    );
    assert_eq!(case.snapshot(run).unwrap().interactions[0].generation, 3);
    case.decide(run, (sequence, 3), &Decision::Answer(json!(false)));
    assert_eq!(case.world.result::<Value>(run).unwrap()["a"], false);
}

#[test]
fn i3_of_two_decisions_the_first_one_counts_also_after_it_was_absorbed() {
    let case = question();
    let (run, sequence) = asking(&case);
    let yes = crate::run::decide(sequence, 0, &Decision::Answer(json!(true)));
    let no = crate::run::decide(sequence, 0, &Decision::Answer(json!(false)));
    case.world.signal(run, yes).unwrap();
    case.world.signal(run, no).unwrap();
    case.world.run_all();
    assert_eq!(case.world.result::<Value>(run).unwrap()["a"], true);

    let nodes = json!({
        "ask": {"input": {"message": "?", "target": "a"}},
        "then": {"input": {"message": "?", "target": "b"}},
    });
    let case = Case::new([graph("g", &["ask"], nodes, json!(["ask -> then"]))]);
    let (run, first) = asking(&case);
    case.decide(run, (first, 0), &Decision::Answer(json!(1)));
    case.decide(run, (first, 0), &Decision::Answer(json!(2)));
    let second = case.snapshot(run).unwrap().interactions[0].sequence;
    assert!(second > first);
    case.decide(run, (second, 0), &Decision::Answer(json!(3)));
    let state: Value = case.world.result(run).unwrap();
    assert_eq!((&state["a"], &state["b"]), (&json!(1), &json!(3)));
}

#[test]
fn i1_an_answer_that_came_in_time_counts_although_nobody_ran_the_run_until_the_deadline() {
    let case = question();
    let (run, sequence) = asking(&case);
    case.world.clock.advance(Duration::from_secs(86_399));
    let signal = crate::run::decide(sequence, 0, &Decision::Answer(json!(true)));
    case.world.signal(run, signal).unwrap();
    case.world.clock.advance(Duration::from_secs(2));
    case.world.run_all();
    assert_eq!(case.world.result::<Value>(run).unwrap()["a"], true);
}

/// Two actions, one after the other; the first takes a minute.
fn two() -> Case {
    let nodes = json!({"a1": work(json!({"wait": 60_000})), "a2": work(json!({}))});
    Case::new([graph("g", &["a1"], nodes, json!(["a1 -> a2"]))])
}

#[test]
fn p1_a_pause_lets_work_end_and_nothing_begins_until_the_resume() {
    let ask = json!({"input": {"message": "?", "target": "a"}});
    let nodes = json!({"ask": ask, "b": work(json!({})), "z": work(json!({}))});
    let case = Case::new([graph("g", &["ask", "b"], nodes, json!(["ask -> z"]))]);
    let (run, sequence) = asking(&case);
    accepted(case.control(run, "p1", Verb::Pause));
    assert_eq!(case.snapshot(run).unwrap().status, "paused");
    accepted(case.control(run, "p2", Verb::Pause));
    // A decision is taken in a pause, and no barrier follows.
    case.decide(run, (sequence, 0), &Decision::Answer(json!(1)));
    assert_eq!(case.calls.begun(), ["b"]);
    assert!(!case.world.status(run).is_terminal());
    accepted(case.control(run, "r1", resume(None)));
    assert_eq!(
        case.world.result::<Value>(run).unwrap()["log"],
        json!(["b", "z"])
    );
}

#[test]
fn p1_the_status_is_paused_only_once_no_attempt_is_open() {
    let nodes = json!({"a": work(json!({"wait": 60_000})), "z": work(json!({}))});
    let case = Case::new([graph("g", &["a"], nodes, json!(["a -> z"]))]);
    let run = case.start("g", json!({}));
    // The message is there before the first run of the execution.
    let pause = crate::run::ControlMessage {
        id: "p".to_owned(),
        verb: Verb::Pause,
    };
    case.world.signal(run, pause.signal()).unwrap();
    case.world.run_all();
    assert_eq!(case.snapshot(run).unwrap().status, "paused");
    assert_eq!(case.calls.ended(), ["a"]);
    let paused = accepted(case.reply(run, "p"));
    assert!(
        case.snapshot(run).unwrap().sequence > paused,
        "the end of the attempt came later"
    );
    accepted(case.control(run, "r", resume(None)));
    assert_eq!(
        case.world.result::<Value>(run).unwrap()["log"],
        json!(["a", "z"])
    );
}

#[test]
fn p1_a_deadline_passes_in_a_pause_and_stops_the_run() {
    let case = question();
    let (run, _) = asking(&case);
    accepted(case.control(run, "p", Verb::Pause));
    case.world.skip(Duration::from_secs(86_401));
    let failed = case.world.result::<Value>(run).unwrap_err();
    assert!(failed.starts_with("timeout: "), "{failed}");
}

#[test]
fn p2_a_bound_pauses_the_run_after_supersteps_and_before_a_node() {
    let case = two();
    let bound = Bound::Supersteps(NonZeroU64::new(1).unwrap());
    let run = case.request("g", Request::default().prepared());
    case.world.run_all();
    assert!(case.calls.begun().is_empty(), "P4");
    accepted(case.control(run, "r1", resume(Some(bound))));
    assert_eq!(case.calls.begun(), ["a1"]);
    assert_eq!(case.snapshot(run).unwrap().status, "paused");
    accepted(case.control(run, "r2", resume(None)));
    assert!(case.world.result::<Value>(run).is_ok());

    let before = Bound::Before("a2".parse().unwrap());
    let run = case.request("g", Request::default().bound(before));
    case.world.run_all();
    assert_eq!(case.snapshot(run).unwrap().status, "paused");
    let unknown = Bound::Before("a9".parse().unwrap());
    let reply = case.control(run, "r3", resume(Some(unknown.clone())));
    assert_eq!(refused(reply), "invalid_input");
    accepted(case.control(run, "r4", resume(None)));
    assert!(case.world.result::<Value>(run).is_ok());
    assert!(
        case.graphs
            .start("g", Request::default().bound(unknown))
            .is_err()
    );
}

#[test]
fn p3_an_action_halts_the_run_after_its_barrier_and_a_resume_continues_after_it() {
    let nodes = json!({
        "a": work(json!({"halt": true, "give": 1})), "b": work(json!({"halt": true})),
        "z": work(json!({})),
    });
    let case = Case::new([graph("g", &["a", "b"], nodes.clone(), json!(["a -> z"]))]);
    let run = case.start("g", json!({}));
    case.world.run_all();
    let snapshot = case.snapshot(run).unwrap();
    let halted = snapshot
        .halted
        .expect("the first action in order halts the run");
    assert_eq!(
        (snapshot.status.as_str(), halted.node.as_str()),
        ("halted", "a")
    );
    assert_eq!(halted.result, json!({"node": "a", "got": 1}));
    assert_eq!(case.calls.begun(), ["a", "b"]);
    accepted(case.control(run, "r", resume(None)));
    assert_eq!(
        case.world.result::<Value>(run).unwrap()["log"],
        json!(["a", "b", "z"])
    );

    // A sibling that fails ends the run without a halt; a halted run can be cancelled.
    let mut failing = nodes.clone();
    failing["b"] = work(json!({"fail": 1}));
    assert!(
        Case::new([graph("g", &["a", "b"], failing, json!([]))])
            .run("g")
            .is_err()
    );
    let case = Case::new([graph("g", &["a"], nodes, json!(["a -> z"]))]);
    let run = case.start("g", json!({}));
    case.world.run_all();
    accepted(case.control(run, "c", cancel(None)));
    let ended = case.world.result::<Value>(run).unwrap_err();
    assert!(ended.starts_with("cancelled: "), "{ended}");
    assert_eq!(case.calls.begun(), ["a"]);
}

#[test]
fn p4_nothing_of_a_prepared_run_runs_before_its_resume() {
    let case = two();
    let run = case.request("g", Request::default().prepared());
    case.world.skip(Duration::from_secs(7_200));
    assert!(case.calls.begun().is_empty());
    assert_eq!(case.snapshot(run).unwrap().status, "paused");
    accepted(case.control(run, "c", cancel(Some(0))));
    assert!(
        case.world
            .result::<Value>(run)
            .unwrap_err()
            .starts_with("cancelled: ")
    );
    assert!(case.calls.begun().is_empty());
}

#[test]
fn c4_a_cancel_takes_a_fence_and_is_repeated_with_it() {
    // The unknown effect keeps the run open while it is cancelling.
    let case = question();
    let (run, sequence) = asking(&case);
    assert_eq!(
        refused(case.control(run, "c1", cancel(Some(sequence + 5)))),
        "stale_fence"
    );
    assert!(!case.world.status(run).is_terminal());
    let fence = case.snapshot(run).unwrap().sequence;
    let at = accepted(case.control(run, "c2", cancel(Some(fence))));
    assert_eq!(at, fence + 1);
    let ended = case.world.result::<Value>(run).unwrap_err();
    assert_eq!(
        ended,
        format!("cancelled: the run was cancelled: sequence={fence}")
    );
    assert!(case.calls.begun().is_empty());
}

#[test]
fn c4_the_engines_cancel_drains_the_run_and_is_its_status() {
    let case = two();
    let run = case.start("g", json!({}));
    let asked = case.world.block(async {
        let running = case.world.engine.run(run, case.world.causes(run));
        let cancelled = async {
            case.world
                .engine
                .ports()
                .clock
                .sleep(Duration::from_secs(5))
                .await;
            let actor = Actor::system("test");
            case.world.engine.cancel(run, "enough", actor).await
        };
        futures::join!(running, cancelled).1
    });
    asked.unwrap();
    case.world.run_all();
    assert_eq!(case.world.status(run), Status::Cancelled);
    assert_eq!(
        case.world.result::<Value>(run).unwrap_err(),
        "cancelled: enough"
    );
    assert_eq!(
        case.calls.ended(),
        ["a1"],
        "the step ran to its end, and nothing followed"
    );
}

#[test]
fn c4_a_cancel_of_a_failing_run_is_recorded_and_the_run_ends_failed() {
    let nodes = json!({"a": work(json!({"fail": 1})), "b": work(json!({"wait": 60_000}))});
    let case = Case::new([graph("g", &["a", "b"], nodes, json!([]))]);
    let run = case.start("g", json!({}));
    case.world.block(async {
        let running = case.world.engine.run(run, case.world.causes(run));
        let cancelled = async {
            case.world
                .engine
                .ports()
                .clock
                .sleep(Duration::from_secs(5))
                .await;
            let message = crate::run::ControlMessage {
                id: "c".to_owned(),
                verb: cancel(None),
            };
            case.world
                .engine
                .signal(run, message.signal())
                .await
                .unwrap();
            let pause = crate::run::ControlMessage {
                id: "p".to_owned(),
                verb: Verb::Pause,
            };
            case.world.engine.signal(run, pause.signal()).await.unwrap();
        };
        let (ran, ()) = futures::join!(running, cancelled);
        ran.unwrap();
    });
    case.world.run_all();
    accepted(case.reply(run, "c"));
    assert_eq!(refused(case.reply(run, "p")), "conflict");
    let failed = case.world.result::<Value>(run).unwrap_err();
    assert_eq!(failed, "action: broken: attempt 1: node=a, ordinal=0");
    assert_eq!(case.world.status(run), Status::Failed);
}

#[test]
fn c4_a_message_that_is_no_control_message_is_refused() {
    let case = question();
    let (run, _) = asking(&case);
    case.send(
        run,
        Signal::on(crate::run::CONTROL).value(&json!({"verb": "explode"})),
    );
    let sequence = case.snapshot(run).unwrap().sequence;
    let reply = case.reply(run, &format!("unreadable-{sequence}"));
    assert_eq!(refused(reply), "invalid_input");
}

/// An action that is made at most once, and a run that lost it with its worker.
fn lost(case: &Case) -> (ExecutionId, u64) {
    let run = case.start("g", json!({}));
    let ended = case
        .world
        .pool
        .run_until_stalled(case.world.engine.run(run, case.world.causes(run)));
    assert!(ended.is_none(), "the attempt is under way");
    case.world.pool.abort_all();
    case.world.clock.advance(Duration::from_secs(31));
    case.world.run_all();
    let snapshot = case.snapshot(run).expect("it asks");
    let asked = &snapshot.interactions[0];
    assert_eq!(
        (asked.kind.as_str(), asked.attempt, asked.retry_safe),
        ("unknown", Some(1), Some(false))
    );
    (run, asked.sequence)
}

fn once() -> Case {
    let mut x = work(json!({"wait": 1000}));
    x["at_most_once"] = json!(true);
    x["retry"] = json!({"attempts": 2, "backoff": "1s"});
    Case::new([graph("g", &["x"], json!({"x": x}), json!([]))])
}

#[test]
fn i5_a_lost_attempt_that_is_made_at_most_once_waits_for_a_decision() {
    let case = once();
    let (run, sequence) = lost(&case);
    let values = [("n".parse().unwrap(), json!(5))].into();
    case.decide(run, (sequence, 0), &Decision::Accept(values));
    assert_eq!(
        case.world.result::<Value>(run).unwrap(),
        json!({"log": [], "n": 5})
    );
    assert_eq!(case.calls.begun().len(), 1);

    let case = once();
    let (run, sequence) = lost(&case);
    case.decide(
        run,
        (sequence, 0),
        &Decision::Fail {
            message: "it is gone".to_owned(),
        },
    );
    let failed = case.world.result::<Value>(run).unwrap_err();
    assert_eq!(failed, "action: it is gone: node=x, ordinal=0");

    let case = once();
    let (run, sequence) = lost(&case);
    case.decide(run, (sequence, 0), &Decision::Retry { forced: None });
    assert_eq!(
        refused(case.reply(run, &format!("{sequence}-0"))),
        "conflict"
    );
    let forced = Some("nothing arrived".to_owned());
    case.decide(run, (sequence, 1), &Decision::Retry { forced });
    case.world.skip(Duration::from_secs(5));
    assert_eq!(
        case.world.result::<Value>(run).unwrap()["log"],
        json!(["x"])
    );
    assert_eq!(case.calls.begun().len(), 2);
}

#[test]
fn i5_an_unknown_effect_keeps_a_cancelled_run_open_until_it_is_settled() {
    let case = once();
    let (run, sequence) = lost(&case);
    accepted(case.control(run, "c", cancel(None)));
    let snapshot = case.snapshot(run).unwrap();
    assert_eq!(snapshot.status, "cancelling");
    assert_eq!(
        (
            snapshot.interactions.len(),
            snapshot.interactions[0].actionable
        ),
        (1, true)
    );
    case.decide(run, (sequence, 0), &Decision::Accept([].into()));
    assert!(
        case.world
            .result::<Value>(run)
            .unwrap_err()
            .starts_with("cancelled: ")
    );
}

#[test]
fn an_attempt_that_is_lost_with_its_worker_is_made_again_under_the_same_key() {
    let value = graph(
        "g",
        &["x"],
        json!({"x": work(json!({"wait": 1000}))}),
        json!([]),
    );
    let case = Case::new([value]);
    let run = case.start("g", json!({}));
    assert!(
        case.world
            .pool
            .run_until_stalled(case.world.engine.run(run, case.world.causes(run)))
            .is_none()
    );
    case.world.pool.abort_all();
    case.world.skip(Duration::from_secs(60));
    assert_eq!(
        case.world.result::<Value>(run).unwrap()["log"],
        json!(["x"])
    );
    let places = case.calls.places();
    assert_eq!(places.len(), 2);
    assert_eq!(places[0], places[1]);
}
