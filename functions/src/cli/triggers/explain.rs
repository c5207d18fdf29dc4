//! Describes rules and plans.

use serde_json::{Value, json};

use crate::triggers::{Absent, Action, ActionTemplate, Plan, Rule, Starts};

/// What a rule does.
pub(super) fn action(rule: &Rule) -> String {
    let start = rule.start().map(|begin| {
        let version = begin.version.as_ref();
        let version = version.map_or_else(String::new, |version| format!("@{version}"));
        let queue = begin.queue.as_ref();
        let queue = queue.map_or_else(String::new, |queue| format!(" in queue {queue}"));
        format!("starts {}{version}{queue}", begin.workflow)
    });
    let signal = match &rule.action {
        ActionTemplate::Start(_) => None,
        ActionTemplate::Signal(signal) => Some(signal),
    };
    let signal = signal.map(|signal| {
        let absent = match signal.absent {
            Absent::Report => "",
            Absent::Ignore => ", if it exists",
            Absent::Retry => ", once it exists",
            Absent::Start => ", which it starts if necessary",
        };
        format!(
            "signals {} to an execution, found by key{absent}",
            signal.channel
        )
    });
    let each = rule
        .split()
        .map(|split| format!("for each of the object's {}", split.each));
    let parts = [signal, start, each];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The fields of a plan.
pub(super) fn fields(plan: &Plan) -> Vec<(&'static str, Value)> {
    let starts = |starts: &Starts| {
        let mut all = vec![("start", json!(starts.workflow))];
        all.extend(starts.version.as_ref().map(|v| ("version", json!(v))));
        all.extend(starts.queue.as_ref().map(|q| ("queue", json!(q))));
        all.push(("input", starts.input.clone()));
        all
    };
    match &plan.action {
        Action::Start(start) => {
            let mut all = starts(start);
            all.push(("key", json!(plan.key)));
            all
        }
        Action::Signal(signal) => {
            let mut all = vec![
                ("signal", json!(signal.channel)),
                ("to", json!(signal.to)),
                ("payload", signal.payload.clone()),
                ("key", json!(plan.key)),
                ("absent", json!(signal.absent.to_string())),
            ];
            all.extend(signal.start.iter().flat_map(starts));
            all
        }
    }
}
