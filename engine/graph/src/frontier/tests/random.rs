//! Random graphs: a frontier that is not empty has a ready activation, and its order is total.

use proptest::prelude::*;

use super::walk::Walk;
use crate::frontier::{ActivationId, deferred};

fn graphs() -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    let kinds = proptest::collection::vec(prop_oneof!["J", "J", "F", "a"], 3..8);
    let ends = proptest::collection::vec((0..64_usize, 0..64_usize), 3..20);
    (kinds, 1..4_usize, ends).prop_map(|(kinds, entries, ends)| {
        let name = |(index, kind): (usize, &String)| format!("{kind}{index}");
        let nodes: Vec<String> = kinds.iter().enumerate().map(name).collect();
        let at = |end: usize| nodes[end % nodes.len()].as_str();
        let mut edges: Vec<String> = ends
            .into_iter()
            .map(|(from, to)| format!("{}->{}", at(from), at(to)))
            .collect();
        edges.dedup();
        (nodes.into_iter().take(entries).collect(), edges)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn f1_a_frontier_that_is_not_empty_has_a_ready_activation(
        (entry, edges) in graphs(),
        choices in proptest::collection::vec(any::<u64>(), 1..40),
    ) {
        let entry: Vec<&str> = entry.iter().map(String::as_str).collect();
        let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
        let mut walk = Walk::new(&entry, &edges);
        for choice in choices {
            let waits = deferred(&walk.topology, &walk.frontier);
            prop_assert_eq!(waits.is_empty(), walk.frontier.is_empty());
            prop_assert!(waits.is_empty() || waits.iter().any(|waits| !waits), "{}", walk.shows());
            let mut ids: Vec<ActivationId> = walk.frontier.iter().map(|act| act.id).collect();
            ids.sort_unstable();
            ids.dedup();
            prop_assert_eq!(ids.len(), walk.frontier.len());
            prop_assert!(walk.frontier.is_sorted_by(|one, two| one.order() < two.order()));
            if walk.frontier.len() > 50 {
                break;
            }
            // Each edge is taken or not, by a bit of the choice.
            let bit = |from: &str, to: &str| {
                let sum: u32 = from.bytes().chain(to.bytes()).map(u32::from).sum();
                choice >> (sum % 64) & 3 != 0
            };
            walk.step_if(bit);
        }
    }
}
