//! An execution that continues after each message: every state with all rules, and each rule taken away
//! alone.

use millpond_model::{Part, PartBudget, PartRules};
use stateright::{Checker, HasDiscoveries, Model};

const ONCE: &str = "part1 a message is consumed once";
const KEPT: &str = "part3 a message is consumed or in the mailbox";
const EFFECTS: &str = "part6 the last cause goes after every effect";

const fn budget(messages: u8, result: bool, copies: u8, crashes: u8) -> PartBudget {
    PartBudget {
        messages,
        result,
        copies,
        crashes,
    }
}

/// The history is one in which `property` fails. Prints the length of the shortest.
fn breaks(rules: PartRules, budget: PartBudget, property: &'static str) {
    let when = HasDiscoveries::AllOf([property].into());
    let search = Part { budget, rules }.checker();
    let checker = search.finish_when(when).spawn_bfs().join();
    let path = checker.discovery(property).expect("a counterexample");
    println!("{property}: {} actions", path.into_actions().len());
}

/// States of each scenario. A change of the model changes them: write down the new numbers once
/// it is clear why.
const STATES: [(PartBudget, usize); 2] = [
    (budget(3, false, 1, 0), 624_887),
    (budget(2, true, 1, 1), 3_775_081),
];

#[test]
fn with_all_rules_kept_no_invariant_fails_in_any_state() {
    let mut all = STATES;
    for (budget, states) in &mut all {
        let rules = PartRules::default();
        let model = Part {
            budget: *budget,
            rules,
        };
        let checker = model.checker().threads(2).spawn_bfs().join();
        *states = checker.unique_state_count();
        println!("{budget:?}: {states} states");
        checker.assert_properties();
    }
    assert_eq!(all, STATES, "the model has changed");
}

#[test]
fn ids_are_kept_and_no_mark() {
    let rules = PartRules {
        keeps_ids: false,
        ..PartRules::default()
    };
    breaks(rules, budget(2, false, 0, 0), KEPT);
}

#[test]
fn a_message_older_than_the_ids_is_looked_up() {
    let rules = PartRules {
        looks_up: false,
        ..PartRules::default()
    };
    breaks(rules, budget(3, false, 1, 0), ONCE);
}

#[test]
fn the_path_to_earlier_parts_is_of_the_commit() {
    let rules = PartRules {
        path_in_commit: false,
        ..PartRules::default()
    };
    breaks(rules, budget(3, false, 1, 1), ONCE);
}

#[test]
fn what_was_not_consumed_is_carried_over() {
    let rules = PartRules {
        carries_unread: false,
        ..PartRules::default()
    };
    breaks(rules, budget(2, false, 0, 0), KEPT);
}

#[test]
fn ids_without_an_instant_are_kept() {
    let rules = PartRules {
        keeps_results: false,
        ..PartRules::default()
    };
    breaks(rules, budget(0, true, 0, 1), EFFECTS);
}
