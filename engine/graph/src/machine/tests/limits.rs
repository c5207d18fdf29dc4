use serde_json::json;

use super::run::{Run, graph};
use crate::machine::{Event, Status};
use crate::{Category, Limits};

fn limits(change: impl FnOnce(&mut Limits)) -> Limits {
    let mut limits = Limits::default();
    change(&mut limits);
    limits
}

#[test]
fn l1_a_loop_of_nodes_without_work_ends_at_the_limit_of_transitions() {
    let loops = graph(&["s1"], &["s1->s1"], &[]);
    let mut run = Run::with(&loops, limits(|limits| limits.transitions = 300), |_| {});
    assert_eq!(run.failure(), (Category::Limit, None, None));
    // 300 transitions, `failing` and `failed`: the state is that of the last barrier.
    assert_eq!(run.sequence(), 302);
    assert_eq!(run.log(), json!(vec!["s1"; 100]));
    assert!(run.did().ends_with("stage barrier routed failing failed"));
}

#[test]
fn l1_work_between_them_starts_the_count_of_transitions_again() {
    let loops = graph(&["s1"], &["s1->a2", "a2->s1"], &[]);
    let mut run = Run::with(&loops, limits(|limits| limits.transitions = 8), |_| {});
    for _ in 0..20 {
        run.ends("a2");
    }
    assert_eq!(run.status(), Status::Running);
}

#[test]
fn l1_a_run_that_was_paused_counts_anew() {
    let loops = graph(&["s1"], &["s1->s1"], &[]);
    let bound = |start: &mut crate::machine::Start| {
        let count = std::num::NonZeroU64::new(5).expect("not zero");
        start.bound = Some(crate::machine::Bound::Supersteps(count));
    };
    let limits = limits(|limits| limits.transitions = 16);
    let mut run = Run::with(&loops, limits, bound);
    assert_eq!(run.status(), Status::Paused);
    run.does(Event::Resume(None));
    assert_eq!(run.failure().0, Category::Limit);
}

#[test]
fn l1_supersteps_are_limited() {
    let loops = graph(&["s1"], &["s1->s1"], &[]);
    let mut run = Run::with(&loops, limits(|limits| limits.supersteps = 10), |_| {});
    assert_eq!(run.failure(), (Category::Limit, None, None));
    assert_eq!(run.machine.checkpoint().superstep, 10);
    assert!(run.did().ends_with("barrier failing failed"));
    let failure = run.machine.checkpoint().phase.failure().cloned();
    let message = failure.expect("a failure").message;
    assert!(
        message.contains("supersteps") && message.contains("most=10"),
        "{message}"
    );
}

#[test]
fn l1_a_run_that_ends_with_the_last_superstep_succeeds() {
    let chain = graph(&["s1"], &["s1->s2"], &[]);
    let run = Run::with(&chain, limits(|limits| limits.supersteps = 2), |_| {});
    assert_eq!(run.status(), Status::Succeeded);
}

#[test]
fn l1_a_frontier_is_limited() {
    let edges = ["s1->a2", "s1->a3", "s1->a4"];
    let wide = graph(&["s1"], &edges, &[]);
    let run = Run::with(&wide, limits(|limits| limits.frontier = 2), |_| {});
    assert_eq!(run.failure(), (Category::Limit, None, None));
    let run = Run::with(&wide, limits(|limits| limits.frontier = 3), |_| {});
    assert_eq!(run.status(), Status::Running);
}
