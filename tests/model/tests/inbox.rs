//! A mailbox of more than one page: every state with all rules, and each rule taken away alone.

use millpond_model::{Inbox, InboxBudget, InboxRules};
use stateright::{Checker, HasDiscoveries, Model};

const CAUSED: &str = "inbox4 nothing leased is without a cause";
const EFFECTS: &str = "inbox6 the last cause goes after every effect";
const SEEN: &str = "inbox7 no run ends for nothing before fresh mail";

const fn budget(messages: u8, crashes: u8, steals: u8) -> InboxBudget {
    InboxBudget {
        messages,
        crashes,
        steals,
        works: 1,
    }
}

/// The history is one in which `property` fails. Prints the length of the shortest.
fn breaks(rules: InboxRules, budget: InboxBudget, property: &'static str) {
    let when = HasDiscoveries::AllOf([property].into());
    let search = Inbox { budget, rules }.checker();
    let checker = search.finish_when(when).spawn_bfs().join();
    let path = checker.discovery(property).expect("a counterexample");
    println!("{property}: {} actions", path.into_actions().len());
}

/// States of each scenario. A change of the model changes them: write down the new numbers once
/// it is clear why.
const STATES: [(InboxBudget, usize); 2] =
    [(budget(4, 1, 0), 3_381_221), (budget(3, 1, 1), 772_929)];

#[test]
fn with_all_rules_kept_no_invariant_fails_in_any_state() {
    let mut all = STATES;
    for (budget, states) in &mut all {
        let rules = InboxRules::default();
        let model = Inbox {
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
fn behind_a_full_page_an_outbox_counts_as_undispatched() {
    let rules = InboxRules {
        full_is_undispatched: false,
        ..InboxRules::default()
    };
    breaks(rules, budget(4, 1, 0), EFFECTS);
}

#[test]
fn a_live_run_keeps_one_message() {
    let rules = InboxRules {
        keeps_one: false,
        ..InboxRules::default()
    };
    breaks(rules, budget(4, 1, 0), CAUSED);
}

#[test]
fn the_message_that_a_live_run_keeps_is_one_that_it_has_absorbed() {
    let rules = InboxRules {
        keeps_a_fresh_one: false,
        ..InboxRules::default()
    };
    breaks(rules, budget(5, 2, 1), CAUSED);
}

#[test]
fn a_run_without_fresh_mail_in_a_full_page_deletes_the_stale_mail() {
    let rules = InboxRules {
        lists_behind_stale_mail: false,
        ..InboxRules::default()
    };
    breaks(rules, budget(4, 1, 0), SEEN);
}
