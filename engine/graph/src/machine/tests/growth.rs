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

#[test]
fn e3_a_fan_out_of_1000_has_one_barrier_and_a_join_that_all_of_them_reach() {
    use crate::machine::{Event, Machine, Start, Transition};

    let names: Vec<String> = (0..999).map(|number| format!("a{number:03}")).collect();
    let edges: Vec<String> = names.iter().map(|name| format!("{name}->J")).collect();
    let entry: Vec<&str> = names.iter().map(String::as_str).collect();
    let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    let wide = graph(&entry, &edges, &[]);
    let rules = super::toy::Toy::new(&wide);
    let start = Start::new(rules.start());
    let mut machine = Machine::start(wide, rules, crate::Limits::default(), start).unwrap();
    let mut steps = Vec::new();
    while let Some(step) = machine.advance(0).unwrap() {
        steps.push(step.transition);
    }
    // The last one ends first.
    let open: Vec<u64> = machine
        .checkpoint()
        .controls
        .values()
        .map(|it| it.sequence)
        .collect();
    for control in open.into_iter().rev() {
        let ending = super::run::done("a");
        machine.handle(Event::Ended { control, ending }, 0).unwrap();
        while let Some(step) = machine.advance(0).unwrap() {
            steps.push(step.transition);
        }
    }
    let count = |transition| steps.iter().filter(|it| **it == transition).count();
    assert_eq!(
        (count(Transition::Park), count(Transition::Barrier)),
        (999, 2)
    );
    assert_eq!(
        machine
            .checkpoint()
            .position
            .as_ref()
            .map(|last| last.ordinal),
        Some(999)
    );
    let succeeded = crate::machine::Phase::Succeeded;
    assert_eq!(machine.checkpoint().phase, succeeded);
}
