use super::walk::{Walk, definition, node, topology};
use crate::frontier::Topology;

#[test]
fn entries_are_sorted_by_node_and_joins_among_them_are_at_their_first_visit() {
    let walk = Walk::new(&["b", "J", "a"], &["a->b"]);
    assert_eq!(walk.shows(), "J@0.0 a@0.1 b@0.2");
    assert_eq!(walk.frontier[0].visit(&node("J")), 1);
    assert_eq!(walk.frontier[1].visit(&node("J")), 0);
}

#[test]
fn ranks_follow_node_then_source_then_edge() {
    let mut walk = Walk::new(&["a", "b"], &["b->z", "b->c", "a->z", "a->d"]);
    assert_eq!(walk.step().shows(), "c@1.0 d@1.1 z@1.2 z@1.3");
    let parents: Vec<_> = walk.frontier.iter().map(|at| at.parents.clone()).collect();
    let of = |rank| vec![crate::frontier::ActivationId { superstep: 0, rank }];
    assert_eq!(parents, [of(1), of(0), of(0), of(1)]);
}

#[test]
fn two_edges_to_one_node_count_as_one() {
    let mut walk = Walk::new(&["a"], &["a->b", "a->b", "a->c"]);
    assert_eq!(walk.step().shows(), "b@1.0 c@1.1");
}

#[test]
fn a_node_without_edges_ends_its_path_and_a_loop_to_itself_continues_it() {
    let mut walk = Walk::new(&["a", "b"], &["a->a"]);
    assert_eq!(walk.step().shows(), "a@1.0");
    assert_eq!(walk.step_if(|_, _| false).shows(), "");
}

#[test]
fn forward_order_is_the_reverse_postorder_of_the_walk() {
    let shape = topology(&["a"], &["a->b", "a->c", "b->d", "c->d", "d->a"]);
    let mut order = ["a", "b", "c", "d"].map(|name| (shape.forward(&node(name)), name));
    order.sort_unstable();
    assert_eq!(order.map(|(_, name)| name), ["a", "c", "b", "d"]);
}

#[test]
fn nodes_that_no_path_reaches_are_last_in_forward_order() {
    let shape = topology(&["z"], &["b->a"]);
    assert_eq!(shape.forward(&node("z")), 0);
    assert_eq!(shape.forward(&node("a")), 1);
}

#[test]
fn a_node_reaches_itself_only_through_an_edge() {
    let shape = topology(&["a"], &["a->b", "b->c", "c->b"]);
    let reaches = |from, to| shape.reaches(&node(from), &node(to));
    assert!(reaches("a", "c") && reaches("b", "b") && reaches("c", "c"));
    assert!(!reaches("a", "a") && !reaches("b", "a"));
}

#[test]
fn reachability_spans_more_nodes_than_a_word_has_bits() {
    let names: Vec<String> = (0..200).map(|number| format!("n{number:03}")).collect();
    let edges: Vec<String> = names.windows(2).map(|two| two.join("->")).collect();
    let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    let shape = topology(&["n000"], &edges);
    assert!(shape.reaches(&node("n000"), &node("n199")));
    assert!(!shape.reaches(&node("n199"), &node("n000")));
}

#[test]
fn an_unknown_node_is_named_with_its_place() {
    let mut unknown = definition(&["a"], &["a->b"]);
    unknown.nodes.remove("b");
    let error = Topology::new(&unknown).unwrap_err();
    assert_eq!(
        (error.node.as_str(), error.named_by.as_str()),
        ("b", "edges/0")
    );
    unknown.nodes.clear();
    assert_eq!(Topology::new(&unknown).unwrap_err().named_by, "entry");
}
