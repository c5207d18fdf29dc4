//! Each rule, taken away alone, brings a defect back.

use millpond_model::{ALL, Budget, Protocol, Rules};
use stateright::{Checker, HasDiscoveries, Model};

/// A search with at most `troubles` of crash, lost reply, steal and late retry.
fn model(rules: Rules, scenario: &str, troubles: u8) -> Protocol {
    let found = ALL.iter().find(|one| one.name == scenario);
    let mut scenario = *found.expect("the test names a scenario");
    scenario.budget = Budget::any(troubles);
    Protocol { scenario, rules }
}

/// The scenario has a history in which `property` fails. Prints the length of the shortest.
fn breaks(rules: Rules, scenario: &str, troubles: u8, property: &'static str) {
    let when = HasDiscoveries::AllOf([property].into());
    let search = model(rules, scenario, troubles).checker();
    let checker = search.finish_when(when).spawn_bfs().join();
    let path = checker.discovery(property).expect("a counterexample");
    let length = path.into_actions().len();
    println!("{property}: {length} actions in `{scenario}`, {troubles} troubles");
}

#[test]
fn an_undispatched_outbox_is_dispatched_before_the_next_commit() {
    let rules = Rules {
        dispatch_before_commit: false,
        ..Rules::default()
    };
    breaks(
        rules,
        "child beside a step",
        0,
        "inv6 the last cause goes after every effect",
    );
}

#[test]
fn absorbed_mail_in_the_box_means_undispatched() {
    let rules = Rules {
        absorbed_mail_is_evidence: false,
        ..Rules::default()
    };
    breaks(
        rules,
        "child beside a step",
        0,
        "inv6 the last cause goes after every effect",
    );
}

#[test]
fn the_timer_that_fired_means_undispatched() {
    let rules = Rules {
        fired: false,
        ..Rules::default()
    };
    breaks(
        rules,
        "timer, then child",
        0,
        "inv6 the last cause goes after every effect",
    );
}

#[test]
fn a_run_without_a_fresh_cause_commits_nothing() {
    let rules = Rules {
        fresh_causes: false,
        ..Rules::default()
    };
    breaks(
        rules,
        "timer, then child",
        0,
        "inv6 the last cause goes after every effect",
    );
}

#[test]
fn mail_without_a_head_stays() {
    let rules = Rules {
        lost_heads_keep_mail: false,
        ..Rules::default()
    };
    breaks(
        rules,
        "two messages until a deadline",
        0,
        "inv3 a message that was created is absorbed, or its execution is over",
    );
}

#[test]
fn no_timer_key_is_used_twice() {
    let rules = Rules {
        unique_timer_keys: false,
        ..Rules::default()
    };
    breaks(
        rules,
        "timer set again",
        0,
        "inv4 nothing with work stays still for ever",
    );
}

#[test]
fn the_timer_that_the_head_names_is_never_deleted() {
    let rules = Rules {
        named_timer_stays: false,
        ..Rules::default()
    };
    breaks(
        rules,
        "two messages until a deadline",
        0,
        "inv6 the last cause goes after every effect",
    );
}

#[test]
fn no_timer_is_deleted_while_there_is_a_lease() {
    let rules = Rules {
        owned_timer_stays: false,
        ..Rules::default()
    };
    breaks(
        rules,
        "timer, then step",
        1,
        "inv4 nothing with work stays still for ever",
    );
}

#[test]
fn a_final_commit_carries_nothing() {
    let rules = Rules {
        final_carries_nothing: false,
        ..Rules::default()
    };
    breaks(
        rules,
        "child beside a step",
        0,
        "inv6 two finished executions never wake each other",
    );
}

#[test]
fn the_feed_object_is_the_last_effect() {
    let rules = Rules {
        feed_last: false,
        ..Rules::default()
    };
    breaks(
        rules,
        "child beside a step",
        0,
        "inv7 the feed reports the end after the result",
    );
}

#[test]
fn all_attempts_at_a_commit_have_one_nonce() {
    let rules = Rules {
        one_nonce: false,
        ..Rules::default()
    };
    breaks(
        rules,
        "child beside a step",
        1,
        "inv8 an attempt is lost only by a crash or a steal",
    );
}

#[test]
fn the_expected_version_still_there_means_the_same_write_again() {
    let rules = Rules {
        repeat_after_unknown: false,
        ..Rules::default()
    };
    breaks(
        rules,
        "child beside a step",
        1,
        "inv8 an attempt is lost only by a crash or a steal",
    );
}

#[test]
fn every_commit_of_a_run_but_the_last_sets_the_lease() {
    let rules = Rules {
        barrier_owns: false,
        ..Rules::default()
    };
    breaks(
        rules,
        "child beside a step",
        0,
        "inv6 the last cause goes after every effect",
    );
}

#[test]
fn causes_are_deleted_after_the_dispatch() {
    let rules = Rules {
        dispatch_before_delete: false,
        ..Rules::default()
    };
    breaks(
        rules,
        "child beside a step",
        0,
        "inv6 the last cause goes after every effect",
    );
}

#[test]
fn a_commit_is_a_compare_and_swap() {
    let rules = Rules {
        compare_and_swap: false,
        ..Rules::default()
    };
    breaks(
        rules,
        "child beside a step",
        0,
        "inv2 no committed entry is lost",
    );
}

/// While there is a lease holder no cause is deleted, so absorbed mail or `fired` shows it. The
/// rule saves a request, and would be needed if a live run deleted mail.
#[test]
fn that_a_lease_means_undispatched_follows_from_the_other_rules() {
    let rules = Rules {
        lease_is_evidence: false,
        ..Rules::default()
    };
    let search = model(rules, "child beside a step", 2).checker();
    let checker = search.threads(2).spawn_bfs().join();
    checker.assert_properties();
}

#[test]
fn a_pause_survives_the_run_that_committed_it() {
    let rules = Rules {
        pause_is_of_the_journal: false,
        ..Rules::default()
    };
    breaks(
        rules,
        "paused while a step runs",
        1,
        "inv11 no step body begins behind a pause",
    );
}
