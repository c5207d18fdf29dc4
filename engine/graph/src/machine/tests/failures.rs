use serde_json::json;

use super::run::{Run, broken, definition, done, graph};
use crate::Category;
use crate::definition::StateKey;
use crate::frontier::ActivationId;
use crate::machine::{Command, Complete, Ending, Event, Handled, Phase, Rejection, Status};

fn failed(category: Category) -> Ending {
    Ending::Failed {
        category,
        message: "it failed".into(),
        retryable: false,
    }
}

#[test]
fn f1_a_failure_ends_waits_aborts_agents_cancels_children_and_waits_for_steps() {
    let mut run = Run::of(&["a1", "a2", "c3", "g4", "i5", "w6"], &["a1->a7"]);
    let of = |run: &Run, node| run.control(node);
    let (c3, g4) = (of(&run, "c3"), of(&run, "g4"));
    let (i5, w6) = (of(&run, "i5"), of(&run, "w6"));
    run.did();
    run.end("a2", broken(true));
    assert_eq!(run.did(), "stage failing");
    let expected = [
        Command::CancelChildren { control: c3 },
        Command::Abort { control: g4 },
        Command::Close { control: i5 },
        Command::Close { control: w6 },
    ];
    assert_eq!(run.commands(), expected);
    assert_eq!(run.status(), Status::Running);
    run.does(Event::Stopped { control: c3 });
    run.does(Event::Stopped { control: g4 });
    assert_eq!(run.did(), "attempt_settled attempt_settled");
    run.ends("a1");
    assert_eq!(run.did(), "stage failed");
    assert_eq!(run.status(), Status::Failed);
    // No barrier follows: the contribution of a1 does not count.
    assert_eq!(run.log(), json!([]));
}

#[test]
fn f1_after_a_failure_in_what_is_decided_without_waiting_nothing_else_begins() {
    let mut run = Run::of(&["a1", "s2", "x3", "x4"], &[]);
    assert_eq!(run.did(), "stage failing failed");
    assert!(run.steps.iter().all(|step| step.commands.is_empty()));
    assert_eq!(
        run.failure(),
        (Category::Evaluation, Some("x3".into()), Some(2))
    );
}

#[test]
fn f1_a_step_that_fails_while_the_run_stops_gets_no_further_attempt() {
    let mut run = Run::of(&["a1", "r2"], &[]);
    run.end("a1", broken(false)).did();
    run.end("r2", broken(true));
    assert_eq!(run.did(), "stage failed");
}

#[test]
fn f2_a_failure_earlier_in_order_replaces_the_failure_and_a_later_one_does_not() {
    let mut run = Run::of(&["a1", "a2", "a3"], &[]);
    run.end("a2", broken(false));
    assert_eq!(
        run.failure(),
        (Category::Action, Some("a2".into()), Some(1))
    );
    run.end("a3", failed(Category::Execution));
    assert_eq!(run.failure().2, Some(1));
    run.end("a1", failed(Category::Execution));
    assert_eq!(
        run.failure(),
        (Category::Execution, Some("a1".into()), Some(0))
    );
}

#[test]
fn f2_a_failure_without_ordinal_is_not_replaced() {
    let mut run = Run::of(&["a1"], &[]);
    let fail = Event::Fail {
        category: Category::Hook,
        message: "registered failed".into(),
        activation: None,
    };
    run.does(fail.clone());
    assert_eq!(run.failure(), (Category::Hook, None, None));
    run.end("a1", broken(false));
    assert_eq!(run.failure(), (Category::Hook, None, None));
    assert_eq!(run.event(fail), Ok(Handled::Late));
}

#[test]
fn f2_categories_of_endings_are_kept_with_node_and_ordinal() {
    let by_work = [
        Category::Agent,
        Category::Action,
        Category::Child,
        Category::Execution,
        Category::Timeout,
        Category::Limit,
        Category::Evaluation,
        Category::State,
    ];
    for category in by_work {
        let mut run = Run::of(&["a1", "a2"], &[]);
        run.ends("a1").end("a2", failed(category));
        assert_eq!(run.failure(), (category, Some("a2".into()), Some(1)));
        let failure = run.machine.checkpoint().phase.failure().cloned();
        assert_eq!(failure.expect("a failure").message, "it failed");
    }
}

#[test]
fn f2_a_hook_of_an_activation_fails_with_its_node_and_ordinal() {
    let mut run = Run::of(&["a1", "a2"], &[]);
    run.ends("a2");
    let fail = |rank| Event::Fail {
        category: Category::Hook,
        message: "action_finished failed".into(),
        activation: Some(ActivationId { superstep: 0, rank }),
    };
    assert!(matches!(run.event(fail(2)), Err(Rejection::Disallowed(_))));
    // The activation has ended; its failure has its node and ordinal all the same.
    run.does(fail(1));
    assert_eq!(run.failure(), (Category::Hook, Some("a2".into()), Some(1)));
}

#[test]
fn f2_a_refused_barrier_keeps_the_state_and_names_the_last_node_of_the_key() {
    let mut run = Run::of(&["a1", "a2"], &[]);
    let most = |value: i64| {
        let key = StateKey::parse("most").unwrap();
        Ending::Complete(Complete::of(vec![(key, json!(value))]))
    };
    run.end("a1", most(1)).did();
    run.end("a2", most(10));
    assert_eq!(run.did(), "stage failing failed");
    assert_eq!(run.failure(), (Category::State, Some("a2".into()), None));
    let checkpoint = run.machine.checkpoint();
    assert_eq!(
        (checkpoint.superstep, checkpoint.state.get("most")),
        (0, None)
    );
    assert_eq!(checkpoint.position, None);
}

#[test]
fn f2_a_value_that_a_reducer_refuses_is_an_evaluation_failure() {
    let text = json!({
        "graph": 1, "id": "g", "entry": ["a1"], "nodes": { "a1": { "action": "work" } },
        "state": { "total": { "reduce": "sum" } },
    });
    let mut run = Run::new(&definition(text));
    let key = StateKey::parse("total").unwrap();
    run.end(
        "a1",
        Ending::Complete(Complete::of(vec![(key, json!("text"))])),
    );
    assert_eq!(
        run.failure(),
        (Category::Evaluation, Some("a1".into()), None)
    );
}

#[test]
fn f3_a_deadline_counts_from_the_beginning_over_all_attempts() {
    let mut run = Run::of(&["r1"], &[]);
    run.end("r1", broken(true)).pass(1_000);
    run.end("r1", broken(true)).pass(2_000).did();
    run.pass(6_999);
    assert_eq!(run.did(), "");
    run.pass(1);
    assert_eq!(run.did(), "failing");
    assert_eq!(
        run.failure(),
        (Category::Timeout, Some("r1".into()), Some(0))
    );
    // The step runs to its end, and what it gives does not change the failure.
    run.ends("r1");
    assert_eq!(run.did(), "stage failed");
    assert_eq!(run.failure().0, Category::Timeout);
}

#[test]
fn f3_of_deadlines_that_have_passed_the_first_in_order_is_reported() {
    // The deadline of the child is earlier, and the child is later in order.
    let mut run = Run::of(&["a1", "c2"], &[]);
    run.pass(60_000);
    assert_eq!(
        run.failure(),
        (Category::Timeout, Some("a1".into()), Some(0))
    );
    let mut run = Run::of(&["a1", "c2"], &[]);
    run.pass(8_000);
    assert_eq!(
        run.failure(),
        (Category::Timeout, Some("c2".into()), Some(1))
    );
}

#[test]
fn f4_of_attempts_that_are_due_the_first_in_order_begins_first() {
    let mut run = Run::of(&["r1", "r2"], &[]);
    run.does(Event::Pause)
        .end("r2", broken(true))
        .pass(10)
        .end("r1", broken(true));
    run.pass(5_000).did();
    run.does(Event::Resume(None));
    assert_eq!(run.did(), "resumed retry_ready retry_ready");
    assert!(run.control("r1") < run.control("r2"));
}

#[test]
fn f3_every_kind_of_node_that_waits_has_a_deadline() {
    for node in ["a1", "c1", "g1", "i1", "n1", "o1", "r1", "w1"] {
        let mut run = Run::of(&[node], &[]);
        run.pass(10_000);
        assert_eq!(run.failure().0, Category::Timeout, "{node}");
        let open = run.machine.checkpoint().controls.len();
        let works = matches!(&node[..1], "a" | "c" | "g" | "o" | "r");
        assert_eq!(open, usize::from(works), "{node}");
    }
}

#[test]
fn f3_deadlines_do_not_count_while_the_run_stops() {
    let mut run = Run::of(&["a1", "a2"], &[]);
    run.end("a2", broken(false)).pass(60_000);
    assert_eq!(
        run.failure(),
        (Category::Action, Some("a2".into()), Some(1))
    );
    assert_eq!(run.machine.next_timer(), None);
}

#[test]
fn f4_attempts_follow_the_policy_and_the_last_failure_is_final() {
    let mut run = Run::of(&["r1"], &[]);
    let first = run.control("r1");
    run.end("r1", broken(true));
    assert_eq!(run.machine.next_timer(), Some(2_000));
    assert_eq!(run.control("r1"), first);
    run.pass(999);
    assert_eq!(run.did(), "park retry");
    run.pass(1);
    assert_eq!(run.did(), "retry_ready");
    assert!(run.control("r1") > first);
    run.end("r1", broken(true));
    assert_eq!(run.machine.next_timer(), Some(4_000));
    run.pass(2_000).end("r1", broken(true));
    assert_eq!(run.did(), "retry retry_ready stage failing failed");
    assert_eq!(
        run.failure(),
        (Category::Action, Some("r1".into()), Some(0))
    );
}

#[test]
fn f4_a_failure_that_is_not_retryable_ends_at_once() {
    let mut run = Run::of(&["r1"], &[]);
    run.end("r1", broken(false));
    assert_eq!(run.did(), "park stage failing failed");
}

#[test]
fn f4_no_attempt_begins_after_the_deadline_or_after_within() {
    let with = |field: &str, value: &str| {
        let mut node = json!({ "action": "work", "retry": { "attempts": 9, "backoff": "5s" } });
        match field {
            "deadline" => node["deadline"] = json!(value),
            _ => node["retry"][field] = json!(value),
        }
        let text = json!({ "graph": 1, "id": "g", "entry": ["a1"], "nodes": { "a1": node } });
        let mut run = Run::new(&definition(text));
        run.pass(100).end("a1", broken(true)).did();
        matches!(run.machine.checkpoint().phase, Phase::Active)
    };
    // The next attempt would begin 5.1 s after the first.
    assert!(with("within", "5100ms") && with("deadline", "5100ms"));
    assert!(!with("within", "5099ms") && !with("deadline", "5099ms"));
}

#[test]
fn a_late_end_of_a_control_that_is_gone_counts_for_nothing() {
    let mut run = Run::of(&["r1"], &[]);
    let control = run.control("r1");
    let ended = Event::Ended {
        control,
        ending: done("r1"),
    };
    run.end("r1", broken(true));
    // The attempt has ended, and the next one has not begun.
    assert_eq!(run.event(ended.clone()), Ok(Handled::Late));
    run.pass(1_000);
    assert_eq!(run.event(ended), Ok(Handled::Late));
}

#[test]
fn h6_children_that_fail_by_themselves_count_and_those_that_were_cancelled_do_not() {
    let mut run = Run::of(&["a1", "c2", "c3", "c4"], &[]);
    run.end("c4", failed(Category::Child)).did();
    let control = run.control("c2");
    run.does(Event::Stopped { control });
    run.end("c3", failed(Category::Child));
    assert_eq!(run.failure(), (Category::Child, Some("c3".into()), Some(2)));
    assert_eq!(run.status(), Status::Running);
    run.ends("a1");
    assert_eq!(run.did(), "attempt_settled stage stage failed");
}

#[test]
fn h6_children_that_complete_while_the_run_stops_give_no_outcome() {
    let mut run = Run::of(&["a1", "c2"], &[]);
    run.end("a1", broken(false)).did();
    run.ends("c2");
    assert_eq!(run.did(), "attempt_settled failed");
}

#[test]
fn a_graph_with_an_error_in_the_condition_of_an_entry_still_keeps_its_outcome() {
    let when = [("a1->a2", "error")];
    let mut run = Run::new(&graph(&["a1"], &["a1->a2"], &when));
    run.ends("a1");
    let checkpoint = run.machine.checkpoint();
    assert_eq!(checkpoint.outcomes.len(), 1);
    assert!(matches!(&checkpoint.phase, Phase::Failed { .. }));
}
