//! Every state of every scenario, with all rules kept.

use std::time::Instant;

use millpond_model::{ALL, Protocol, Rules};
use stateright::{Checker, Model};

/// States of each scenario. A change of the model changes them: write down the new numbers
/// once it is clear why.
const STATES: [usize; 7] = [
    334_630, 1_294_737, 364_181, 275_703, 66_296, 1_130_799, 781_918,
];

#[test]
fn with_all_rules_kept_no_invariant_fails_in_any_state() {
    for (scenario, states) in ALL.into_iter().zip(STATES) {
        let begun = Instant::now();
        let rules = Rules::default();
        let model = Protocol { scenario, rules };
        let checker = model.checker().threads(2).spawn_bfs().join();
        let (name, depth, took) = (scenario.name, checker.max_depth(), begun.elapsed());
        let found = checker.unique_state_count();
        println!("{name}: {found} states, depth {depth}, {took:?}");
        checker.assert_properties();
        assert_eq!(found, states, "the model of `{name}` has changed");
    }
}
