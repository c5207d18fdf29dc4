use super::walk::{Walk, node};

#[test]
fn s6_a_join_waits_for_paths_of_different_length() {
    let mut walk = Walk::new(&["s"], &["s->J", "s->a", "a->b", "b->J"]);
    assert_eq!(walk.step().shows(), "[J@1.0] a@1.1");
    assert_eq!(walk.step().shows(), "[J@1.0] b@2.0");
    assert_eq!(walk.step().shows(), "J@1.0");
    let parents: Vec<_> = walk.frontier[0]
        .parents
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(parents, ["0.0", "2.0"]);
}

#[test]
fn s6_a_join_does_not_wait_for_a_path_that_was_not_taken() {
    let edges = ["s->a", "s->b", "a->J", "b->c", "c->J"];
    let mut walk = Walk::new(&["s"], &edges);
    walk.step_if(|_, to| to == "a");
    assert_eq!(walk.step().shows(), "J@2.0");
}

#[test]
fn s6_a_join_stops_waiting_when_the_path_leads_elsewhere() {
    let mut walk = Walk::new(&["s"], &["s->J", "s->a", "a->J", "a->z"]);
    assert_eq!(walk.step().shows(), "[J@1.0] a@1.1");
    assert_eq!(walk.step_if(|_, to| to == "z").shows(), "J@1.0 z@2.0");
}

#[test]
fn s6_arrivals_of_one_visit_are_one_activation_with_the_largest_counts() {
    // The path over K has one visit of it, the other path none.
    let mut walk = Walk::new(&["s"], &["s->a", "s->JK", "a->J", "JK->J"]);
    walk.step();
    assert_eq!(walk.step().shows(), "J@2.0");
    assert_eq!(walk.frontier[0].parents.len(), 2);
    assert_eq!(walk.frontier[0].visit(&node("JK")), 1);
}

#[test]
fn s6_in_a_loop_a_join_waits_by_visit() {
    let edges = ["s->J", "J->a", "J->b", "a->J", "b->c", "c->J"];
    let mut walk = Walk::new(&["s"], &edges);
    assert_eq!(walk.step().shows(), "J@1.0");
    assert_eq!(walk.step().shows(), "a@2.0 b@2.1");
    assert_eq!(walk.step().shows(), "[J@3.0] c@3.1");
    assert_eq!(walk.step().shows(), "J@3.0");
    assert_eq!(walk.frontier[0].visit(&node("J")), 2);
}

#[test]
fn s6_two_joins_of_one_loop_do_not_wait_for_each_other() {
    let mut walk = Walk::new(&["s"], &["s->J1", "s->J2", "J1->J2", "J2->J1"]);
    // J2 is later in forward order, so the wait of J1 for it is void.
    assert_eq!(walk.step().shows(), "J1@1.0 [J2@1.1]");
    assert_eq!(walk.step_if(|from, _| from == "J1").shows(), "J2@1.1");
    assert_eq!(walk.frontier[0].parents.len(), 2);
}

#[test]
fn s6_an_inner_and_an_outer_join_of_one_loop_both_go_on() {
    let edges = [
        "s->JO", "JO->a", "JO->b", "a->JI", "b->JI", "JI->JO", "b->JO",
    ];
    let mut walk = Walk::new(&["s"], &edges);
    walk.step();
    assert_eq!(walk.step().shows(), "a@2.0 b@2.1");
    // Each waits for the other. The outer join is earlier in forward order: its wait is void.
    assert_eq!(walk.step().shows(), "[JI@3.0] JO@3.2");
    assert_eq!(walk.step().shows(), "[JI@3.0] a@4.0 b@4.1");
    // The inner join has waited for the second round, and takes its arrivals, too.
    assert_eq!(
        walk.step_if(|from, to| from != "b" || to != "JO").shows(),
        "JI@3.0"
    );
    assert_eq!(walk.frontier[0].parents.len(), 4);
    assert_eq!(walk.step().shows(), "JO@6.0");
    assert_eq!(walk.frontier[0].visit(&node("JO")), 3);
}

#[test]
fn s6_three_joins_in_a_ring_go_on_one_after_the_other() {
    let edges = ["s->J1", "s->J2", "s->J3", "J1->J2", "J2->J3", "J3->J1"];
    let mut walk = Walk::new(&["s"], &edges);
    assert_eq!(walk.step().shows(), "J1@1.0 [J2@1.1] [J3@1.2]");
    assert_eq!(
        walk.step_if(|from, to| from != "J3" || to != "J1").shows(),
        "J2@1.1 [J3@1.2]"
    );
    assert_eq!(walk.step().shows(), "J3@1.2");
}

#[test]
fn s6_a_join_of_a_later_visit_waits_for_the_one_of_the_visit_before() {
    // b is slow: it reaches J for the first time when a has already been there twice.
    let edges = ["s->J", "s->b", "b->c", "c->J", "J->J"];
    let mut walk = Walk::new(&["s"], &edges);
    assert_eq!(walk.step().shows(), "[J@1.0] b@1.1");
    assert_eq!(walk.step().shows(), "[J@1.0] c@2.0");
    assert_eq!(walk.step().shows(), "J@1.0");
    assert_eq!(walk.step().shows(), "J@4.0");
}

#[test]
fn s6_999_joins_in_a_ring_go_on_one_after_the_other() {
    let names: Vec<String> = (0..999).map(|number| format!("J{number:03}")).collect();
    let ring = names.iter().zip(names.iter().cycle().skip(1));
    let ring = ring.map(|(from, to)| format!("{from}->{to}"));
    let edges: Vec<String> = names
        .iter()
        .map(|name| format!("s->{name}"))
        .chain(ring)
        .collect();
    let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    let mut walk = Walk::new(&["s"], &edges);
    for _ in 0..2 {
        let shown = walk.step().shows();
        assert_eq!(
            shown.matches('[').count() + 1,
            walk.frontier.len(),
            "one is ready"
        );
    }
}
