//! K2: one program, input and set of outcomes give one result and one set of calls, whatever the
//! order in which event facets end.
//!
//! Failures are caught at their step: after an error that nothing catches, what has begun depends on
//! the order (rule 7), and so do count and message.

use std::collections::BTreeSet;

use jiff::Timestamp;
use millpond_ffl::explain::explain;
use millpond_ffl::run::{Executable, Fault};
use millpond_ffl::states::{Derivation, Node, State};
use millpond_ffl::value::Value;
use proptest::prelude::*;

use super::generate::{failing_program, program};
use super::harness::{Setup, outcome, run};

/// The result, the calls, and the path and final state of each node.
type Seen = (
    Result<serde_json::Value, String>,
    BTreeSet<(String, String)>,
    BTreeSet<String>,
);

fn derive(program: &Executable, workflow: &str, picks: &[prop::sample::Index]) -> Seen {
    let mut run = Derivation::new(
        program,
        workflow,
        &serde_json::json!({}),
        Timestamp::UNIX_EPOCH,
    );
    let (mut calls, mut picks) = (BTreeSet::new(), picks.iter().cycle());
    loop {
        let open = run.open();
        if open.is_empty() {
            break;
        }
        let pick = picks.next().map_or(0, |pick| pick.index(open.len()));
        let (path, call) = &open[pick];
        calls.insert((
            path.clone(),
            format!("{}{}", call.facet, call.params.to_json()),
        ));
        let outcome = match outcome(call) {
            Ok(returns) => Ok(Value::from_json(&returns).expect("small")),
            Err((kind, message)) => Err(Fault::new(&kind, message, path)),
        };
        assert!(run.deliver(path, outcome, Timestamp::UNIX_EPOCH));
    }
    let result = run.result().expect("nothing is open: it has ended");
    let result = result
        .as_ref()
        .map(Value::to_json)
        .map_err(ToString::to_string);
    let tree = run.tree().expect("it began");
    let state = |node: &&Node| format!("{} {}", node.path, node.state().as_str());
    let states = tree.all().iter().map(state).collect();
    (result, calls, states)
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: 64,
        ..ProptestConfig::default()
    })]

    #[test]
    fn k2_the_order_in_which_event_facets_end_changes_nothing(
        choices in prop::collection::vec(any::<u8>(), 0..120),
        orders in prop::collection::vec(
            prop::collection::vec(any::<prop::sample::Index>(), 1..20), 3,
        ),
    ) {
        let text = program(&choices);
        let setup = Setup::of(&text);
        let expected = derive(&setup.program, &setup.workflow, &[]);
        prop_assert!(expected.0.is_ok(), "{:?} of\n{}", expected.0, text);
        for order in &orders {
            let seen = derive(&setup.program, &setup.workflow, order);
            prop_assert_eq!(&seen, &expected, "of\n{}", text);
        }
        let ran = run(&setup);
        prop_assert_eq!(&ran.outcome, &expected.0, "of\n{}", text);
        let calls: BTreeSet<_> = ran.calls.into_iter().collect();
        prop_assert_eq!(&calls, &expected.1, "of\n{}", text);
    }

    #[test]
    fn s1_what_the_journal_gives_is_what_ran(
        choices in prop::collection::vec(any::<u8>(), 0..120),
    ) {
        let text = failing_program(&choices);
        let setup = Setup::of(&text);
        let ran = run(&setup);
        let tree = ran.world.block(explain(&ran.world.engine, ran.eid, &setup.program));
        let tree = tree.expect("it is explained");
        let failure = |fault: &Fault| format!("{fault}: step={}", fault.path);
        prop_assert_eq!(tree.error.as_ref().map(failure), ran.outcome.as_ref().err().cloned());
        if let Ok(result) = &ran.outcome {
            let returns = tree.returns.as_ref().map(Value::to_json);
            prop_assert_eq!(returns.as_ref(), Some(result));
        }
        let transmits = |node: &&&Node| {
            let mut states = node.states.iter().map(|reached| reached.state);
            states.any(|state| state == State::EventTransmit)
        };
        let all = tree.all();
        let transmitted: BTreeSet<&str> =
            all.iter().filter(transmits).map(|node| &*node.path).collect();
        let called: BTreeSet<&str> = ran.calls.iter().map(|(path, _)| &**path).collect();
        prop_assert_eq!(transmitted, called, "of\n{}", &text);
        for node in &all {
            let is_final = matches!(node.state(), State::Complete | State::Error);
            prop_assert!(is_final, "{}: {:?} of\n{}", node.path, node.state(), &text);
        }
    }
}
