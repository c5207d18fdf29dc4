//! The executions of one start key: every state with all rules, and each rule taken away alone.

use millpond_model::{Key, KeyBudget, KeyRules};
use stateright::{Checker, HasDiscoveries, Model};

const FRESH: &str = "key1 a call is fresh if it began its execution";
const ONE: &str = "key2 a call begins one execution";
const REACHES: &str = "key3 a message reaches the execution it was sent to";
const UNHARMED: &str = "key4 no pass deletes objects of a live execution";
const FORWARD: &str = "key5 next never decreases";
const CHILD: &str = "key6 a child begins once";

/// The history is one in which `property` fails. Prints the length of the shortest.
fn breaks(rules: KeyRules, budget: KeyBudget, property: &'static str) {
    let when = HasDiscoveries::AllOf([property].into());
    let search = Key { budget, rules }.checker();
    let checker = search.finish_when(when).spawn_bfs().join();
    let path = checker.discovery(property).expect("a counterexample");
    println!("{property}: {} actions", path.into_actions().len());
}

/// States of each scenario. A change of the model changes them: write down the new numbers once
/// it is clear why.
const STATES: [(KeyBudget, usize); 4] = [
    (KeyBudget::STARTERS, 3_028),
    (KeyBudget::SLOW, 363_208),
    (KeyBudget::REOPENED, 2_991),
    (KeyBudget::OUTBOX, 7),
];

#[test]
fn with_all_rules_kept_no_invariant_fails_in_any_state() {
    let mut all = STATES;
    for (budget, states) in &mut all {
        let rules = KeyRules::default();
        let model = Key {
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
fn the_next_execution_has_an_id_of_its_own() {
    let rules = KeyRules {
        own_ids: false,
        ..KeyRules::default()
    };
    breaks(rules, KeyBudget::SLOW, REACHES);
    breaks(rules, KeyBudget::SLOW, UNHARMED);
}

#[test]
fn heads_are_never_deleted() {
    let rules = KeyRules {
        heads_stay: false,
        ..KeyRules::default()
    };
    breaks(rules, KeyBudget::OUTBOX, CHILD);
    breaks(rules, KeyBudget::SLOW, REACHES);
}

#[test]
fn a_call_is_fresh_by_its_nonce() {
    let rules = KeyRules {
        nonce: false,
        ..KeyRules::default()
    };
    breaks(rules, KeyBudget::STARTERS, FRESH);
}

#[test]
fn a_tombstone_keeps_the_nonce() {
    let rules = KeyRules {
        tombstone_keeps_nonce: false,
        ..KeyRules::default()
    };
    breaks(rules, KeyBudget::STARTERS, ONE);
}

#[test]
fn a_tombstone_with_the_own_nonce_is_the_answer_even_if_it_is_free() {
    let rules = KeyRules {
        own_nonce_first: false,
        ..KeyRules::default()
    };
    breaks(rules, KeyBudget::STARTERS, ONE);
}

#[test]
fn next_is_written_by_compare_and_swap() {
    let rules = KeyRules {
        next_by_swap: false,
        ..KeyRules::default()
    };
    breaks(rules, KeyBudget::FOUR, FORWARD);
}

#[test]
fn mail_of_an_ended_execution_is_deleted_by_a_head_that_was_read_after_the_listing() {
    let rules = KeyRules {
        read_again: false,
        ..KeyRules::default()
    };
    breaks(rules, KeyBudget::REOPENED, REACHES);
}
