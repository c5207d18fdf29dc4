//! A long run needs no more memory than a short one.

use super::run::{Run, graph};

#[test]
fn e4_what_the_machine_keeps_does_not_grow_with_supersteps() {
    // A loop over both joins, an action, a retry and an input.
    let edges = ["a1->J", "a1->r2", "r2->J", "J->F", "F->i3", "i3->a1"];
    let loops = graph(&["a1"], &edges, &[]);
    let mut run = Run::new(&loops);
    let mut sizes = Vec::new();
    for round in 1..=40 {
        for node in ["a1", "r2"] {
            let key = crate::definition::StateKey::parse("most").unwrap();
            let given = vec![(key, serde_json::json!(1))];
            let complete = crate::machine::Complete::of(given);
            run.end(node, crate::machine::Ending::Complete(complete));
        }
        let activation = Some(run.machine.checkpoint().frontier[0].id);
        run.does(crate::machine::Event::Fail {
            category: crate::Category::Hook,
            message: String::new(),
            activation,
        });
        run.does(crate::machine::Event::Retried(None));
        let control = run.control("i3");
        run.does(super::interactions::decide(
            control,
            0,
            crate::machine::Decision::Answer(serde_json::json!(0)),
        ));
        if round % 10 == 0 {
            // Without the state (which the action gets, too) and the settlements: limits bound them.
            let mut kept = run.machine.checkpoint().clone();
            kept.state = std::sync::Arc::default();
            kept.controls.clear();
            kept.settlements = crate::machine::Settlements::default();
            sizes.push(format!("{kept:?}").len());
        }
    }
    // Only digits of numbers grow.
    assert!(sizes[3] < sizes[0] + 40, "{sizes:?}");
}
