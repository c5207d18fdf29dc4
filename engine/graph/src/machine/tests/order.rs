//! The order in which work ends never decides anything.

use super::run::{Run, broken, done};
use crate::machine::Checkpoint;

const NODES: [&str; 5] = ["a1", "a2", "a3", "a4", "a5"];

fn permutations(rest: &[&'static str]) -> Vec<Vec<&'static str>> {
    if rest.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, first) in rest.iter().enumerate() {
        let others = [&rest[..index], &rest[index + 1..]].concat();
        for mut order in permutations(&others) {
            order.insert(0, first);
            all.push(order);
        }
    }
    all
}

/// The end of a run whose five actions end in `order`; those that `fails` selects fail.
fn run(order: &[&str], fails: impl Fn(&str) -> bool) -> Checkpoint {
    let edges = ["a1->a9", "a2->a8", "a3->a9", "a4->J", "a5->J"];
    let mut run = Run::of(&NODES, &edges);
    for node in order {
        let ending = if fails(node) {
            broken(false)
        } else {
            done(node)
        };
        run.end(node, ending);
    }
    run.machine.checkpoint().clone()
}

#[test]
fn s2_all_120_orders_of_five_ends_give_the_same_checkpoint() {
    let all = permutations(&NODES);
    assert_eq!(all.len(), 120);
    let first = run(&all[0], |_| false);
    assert_eq!(first.outcomes.len(), 5);
    for order in &all {
        assert_eq!(run(order, |_| false), first, "{order:?}");
    }
}

#[test]
fn s2_all_120_orders_report_the_failure_that_is_first_in_order() {
    let fails = |node: &str| matches!(node, "a2" | "a4" | "a5");
    for order in permutations(&NODES) {
        let end = run(&order, fails);
        let failure = end.phase.failure().expect("a failure");
        assert_eq!(failure.ordinal, Some(1), "{order:?}");
        assert_eq!(
            failure.node.as_ref().map(crate::definition::NodeId::as_str),
            Some("a2")
        );
        assert!(end.staged.is_empty() && end.outcomes.is_empty());
    }
}
