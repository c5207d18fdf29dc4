use super::walk::Walk;

#[test]
fn s7_the_first_by_superstep_is_selected_and_the_others_lose() {
    let mut walk = Walk::new(&["s"], &["s->a", "s->b", "a->F", "b->c", "c->F", "F->z"]);
    assert_eq!(walk.step().shows(), "a@1.0 b@1.1");
    // c arrives in the same routing as F, can reach it and has not been there: it never begins.
    assert_eq!(walk.step().shows(), "F@2.0");
    assert_eq!(walk.step().shows(), "z@3.0");
}

#[test]
fn s7_what_cannot_reach_the_join_stays() {
    let mut walk = Walk::new(&["s"], &["s->a", "s->b", "a->F", "b->c"]);
    walk.step();
    assert_eq!(walk.step().shows(), "F@2.0 c@2.1");
}

#[test]
fn s7_two_arrivals_of_one_superstep_are_one_activation() {
    let mut walk = Walk::new(&["s"], &["s->a", "s->b", "a->F", "b->F"]);
    walk.step();
    assert_eq!(walk.step().shows(), "F@2.0");
    assert_eq!(walk.frontier[0].parents.len(), 2);
}

#[test]
fn s7_deferred_joins_lose_too() {
    let edges = ["s->J", "s->a", "s->b", "a->F", "b->c", "c->J", "J->F"];
    let mut walk = Walk::new(&["s"], &edges);
    assert_eq!(walk.step().shows(), "[J@1.0] a@1.1 b@1.2");
    assert_eq!(walk.step().shows(), "F@2.0");
}

#[test]
fn s7_of_two_that_would_make_each_other_lose_the_later_in_forward_order_stays() {
    let edges = ["s->a", "s->b", "a->F1", "b->F2", "F1->F2", "F2->F1"];
    let mut walk = Walk::new(&["s"], &edges);
    walk.step();
    assert_eq!(walk.step().shows(), "F2@2.1");
}

#[test]
fn s7_the_join_is_open_again_in_the_next_visit() {
    let mut walk = Walk::new(&["s"], &["s->F", "F->t", "F->u", "t->F", "u->v", "v->F"]);
    assert_eq!(walk.step().shows(), "F@1.0");
    assert_eq!(walk.step().shows(), "t@2.0 u@2.1");
    assert_eq!(walk.step().shows(), "F@3.0");
    assert_eq!(walk.frontier[0].visit(&super::walk::node("F")), 2);
}

#[test]
fn s7_an_arrival_at_a_visit_that_is_settled_loses() {
    use super::walk::node;
    use crate::frontier::{Visits, entries, without_losers};
    let walk = Walk::new(&["F", "a"], &["F->b"]);
    let settled = |visit| Visits::from([(node("F"), visit)]);
    let left =
        |visit| without_losers(&walk.topology, &settled(visit), entries(&walk.topology)).len();
    assert_eq!((left(0), left(1), left(2)), (2, 1, 1));
}

#[test]
fn s7_a_loser_among_the_entries_never_enters() {
    let walk = Walk::new(&["F", "a"], &["a->F"]);
    assert_eq!(walk.shows(), "F@0.0");
}

#[test]
fn s7_one_that_lost_makes_no_other_lose() {
    use std::sync::Arc;

    use super::walk::{node, topology};
    use crate::frontier::{Activation, ActivationId, Visits, without_losers};

    let shape = topology(&["c", "F2"], &["c->F1", "F1->F2"]);
    let at = |name: &str, visits: &[(&str, u64)]| {
        let visits = visits.iter().map(|(join, count)| (node(join), *count));
        Arc::new(Activation {
            node: node(name),
            id: ActivationId {
                superstep: 5,
                rank: 0,
            },
            parents: Vec::new(),
            visits: Arc::new(visits.collect()),
        })
    };
    // F1 loses to F2. So `c`, which only F1 would have made lose, stays.
    let frontier = vec![
        at("F1", &[("F1", 1), ("F2", 1)]),
        at("F2", &[("F2", 2)]),
        at("c", &[]),
    ];
    let left = without_losers(&shape, &Visits::new(), frontier);
    let left: Vec<_> = left.iter().map(|left| left.node.as_str()).collect();
    assert_eq!(left, ["F2", "c"]);
}
