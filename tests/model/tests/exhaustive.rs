//! Every state of every scenario, with all rules kept.

use millpond_model::{ALL, Protocol, Rules};
use stateright::{Checker, Model};

#[test]
fn with_all_rules_kept_no_invariant_fails_in_any_state() {
    for mut scenario in ALL {
        if let Ok(n) = std::env::var("TR") {
            scenario.budget.troubles = n.parse().unwrap();
        }
        if let Ok(n) = std::env::var("SC") {
            if !scenario.name.contains(&n) {
                continue;
            }
        }
        let begun = std::time::Instant::now();
        let rules = Rules::default();
        let model = Protocol { scenario, rules };
        let checker = model.checker().threads(2).spawn_bfs().join();
        let states = checker.unique_state_count();
        println!(
            "{}: {states} states, depth {}, {:?}",
            scenario.name,
            checker.max_depth(),
            begun.elapsed()
        );
        for (name, path) in checker.discoveries() {
            println!("  {name}: {}", path.into_actions().len());
        }
        checker.assert_properties();
    }
}
