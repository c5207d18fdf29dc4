//! Each rule, taken away alone, brings a defect back.

use millpond_model::{ALL, Protocol, Rules};
use stateright::{Checker, HasDiscoveries, Model};

/// The counterexample that a set of rules yields in the first scenario that has one.
fn breaks(rules: Rules) -> Option<(&'static str, &'static str, usize)> {
    ALL.into_iter().find_map(|scenario| {
        let model = Protocol { scenario, rules };
        let any = HasDiscoveries::AnyFailures;
        let checker = model.checker().finish_when(any).spawn_bfs().join();
        let mut found: Vec<_> = checker.discoveries().into_iter().collect();
        found.retain(|(name, _)| name.starts_with("inv"));
        found.sort_by_key(|(_, path)| path.clone().into_actions().len());
        let (name, path) = found.into_iter().next()?;
        if std::env::var("SHOW").is_ok() {
            for action in path.clone().into_actions() { println!("   {action:?}"); }
        }
        Some((scenario.name, name, path.into_actions().len()))
    })
}

#[test]
fn explore() {
    let d = Rules::default();
    let only = std::env::var("ONLY").unwrap_or_default();
    for (name, rules) in [
        ("settle_before_commit", Rules { settle_before_commit: false, ..d }),
        ("absorbed_mail_is_evidence", Rules { absorbed_mail_is_evidence: false, ..d }),
        ("owner_is_evidence", Rules { owner_is_evidence: false, ..d }),
        ("fired", Rules { fired: false, ..d }),
        ("fresh_causes", Rules { fresh_causes: false, ..d }),
        ("orphan_check", Rules { orphan_check: false, ..d }),
        ("unique_alarm_keys", Rules { unique_alarm_keys: false, ..d }),
        ("named_alarm_stays", Rules { named_alarm_stays: false, ..d }),
        ("owned_alarm_stays", Rules { owned_alarm_stays: false, ..d }),
        ("final_carries_nothing", Rules { final_carries_nothing: false, ..d }),
        ("feed_last", Rules { feed_last: false, ..d }),
        ("one_nonce", Rules { one_nonce: false, ..d }),
        ("repeat_after_unknown", Rules { repeat_after_unknown: false, ..d }),
        ("barrier_owns", Rules { barrier_owns: false, ..d }),
        ("settle_before_delete", Rules { settle_before_delete: false, ..d }),
        ("compare_and_swap", Rules { compare_and_swap: false, ..d }),
        ("alarm_proves_its_instant", Rules { alarm_proves_its_instant: false, ..d }),
        ("second_list", Rules { second_list: false, ..d }),
    ] {
        if !name.contains(&only) { continue; }
        let begun = std::time::Instant::now();
        println!("{name}: {:?} {:?}", breaks(rules), begun.elapsed());
    }
}
