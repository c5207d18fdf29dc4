//! Fields of a node that contradict each other or have no effect.

use super::diagnostic::{Code, Diagnostic};
use crate::definition::{Action, Agent, Definition, Kind, Node, RunsAs, Sleep};
use crate::pointer;

pub(super) fn check(definition: &Definition) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for (id, node) in &definition.nodes {
        let path = pointer::field("/nodes", id.as_str());
        let mut put = |code, field: &str, message: &str| {
            findings.push(Diagnostic::new(code, format!("{path}{field}"), message));
        };
        match &node.kind {
            Kind::Action(action) => check_action(action, &mut put),
            Kind::Agent(agent) => check_agent(agent, &mut put),
            Kind::Sleep(Sleep::For(span)) if *span > node.deadline() => {
                let message = format!(
                    "the sleep is longer than the deadline of the node, so it always ends in a \
                    timeout: sleep={span}, deadline={}",
                    node.deadline()
                );
                put(Code::SleepsPastDeadline, "/sleep", &message);
            }
            _ => {}
        }
        check_within(node, &mut put);
    }
    findings
}

fn check_action(action: &Action, put: &mut impl FnMut(Code, &str, &str)) {
    if action.target.is_some() && !action.writes.is_empty() {
        put(
            Code::Contradiction,
            "/writes",
            "an action has either `target` or `writes`",
        );
    }
    if action.reconcile.is_some() && !action.at_most_once {
        put(
            Code::Contradiction,
            "/reconcile",
            "`reconcile` requires `at_most_once: true`",
        );
    }
    if action.queue.is_some() && action.run == RunsAs::Worker {
        put(
            Code::NoEffect,
            "/queue",
            "an action that runs in the worker has no queue",
        );
    }
}

fn check_agent(agent: &Agent, put: &mut impl FnMut(Code, &str, &str)) {
    match (&agent.prompt, agent.messages.is_empty()) {
        (Some(_), false) => put(
            Code::Contradiction,
            "/messages",
            "an agent has either `prompt` or `messages`",
        ),
        (None, true) => put(
            Code::MissingField,
            "",
            "an agent needs `prompt` or `messages`",
        ),
        _ => {}
    }
}

fn check_within(node: &Node, put: &mut impl FnMut(Code, &str, &str)) {
    if node
        .retry()
        .within
        .is_some_and(|within| within > node.deadline())
    {
        put(
            Code::NoEffect,
            "/retry/within",
            "no attempt begins after the deadline of the node, which is earlier",
        );
    }
}
