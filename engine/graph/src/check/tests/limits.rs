use std::fmt::Write as _;

use super::report;
use crate::check::{Code, check};
use crate::limits::Limits;
use crate::read::Format;

/// A line of nodes with `edges` edges between each two neighbours.
fn line(nodes: usize, edges: usize) -> String {
    let mut text = "graph: 1\nid: t\nentry: [n0]\nnodes:\n".to_owned();
    for number in 0..nodes {
        writeln!(text, "  n{number}: {{sleep: 1s}}").expect("a string takes text");
    }
    text.push_str("edges:\n");
    for number in 1..nodes {
        for _ in 0..edges {
            writeln!(text, "  - n{} -> n{number}", number - 1).expect("a string takes text");
        }
    }
    text
}

fn limit(text: &str) -> Option<(String, String)> {
    let report = report(text);
    let finding = report
        .findings
        .iter()
        .find(|finding| finding.code == Code::Limit)?;
    Some((finding.path.clone(), finding.message.clone()))
}

#[test]
fn l1_nodes_and_edges_over_their_limits_are_refused_by_name() {
    assert_eq!(limit(&line(1_000, 10)), None);
    let (path, message) = limit(&line(1_001, 1)).expect("too many nodes");
    assert_eq!(
        (path.as_str(), message.as_str()),
        (
            "/nodes",
            "the limit of nodes is exceeded: found=1001, most=1000"
        )
    );
    let (path, message) = limit(&line(1_000, 11)).expect("too many edges");
    assert_eq!(
        (path.as_str(), message.as_str()),
        (
            "/edges",
            "the limit of edges is exceeded: found=10989, most=10000"
        )
    );
}

#[test]
fn l1_a_text_and_a_canonical_form_over_a_mebibyte_are_refused() {
    let text = line(2, 1);
    let doc = |length: usize| format!("{text}doc: {}\n", "x".repeat(length));
    assert_eq!(limit(&doc((1 << 20) - 500)), None);
    let (path, message) = limit(&doc(1 << 20)).expect("too long");
    assert!(
        path.is_empty() && message.starts_with("the limit of definition is exceeded: "),
        "{message}"
    );
    // A short text may have a long canonical form: a control character takes six bytes in JSON.
    let text = format!("{text}doc: \"{}\"\n", "\\b\\e".repeat(200_000));
    assert!(text.len() < 1 << 20);
    limit(&text).expect("the canonical form is too long");
}

#[test]
fn l1_an_entry_over_the_limit_of_a_frontier_is_refused() {
    let limits = Limits {
        frontier: 2,
        ..Limits::default()
    };
    let text = |entry: &str| {
        format!(
            "graph: 1\nid: t\nentry: [{entry}]\nnodes: {{a: {{sleep: 1s}}, b: {{sleep: 1s}}, c: {{sleep: 1s}}}}\n"
        )
    };
    let codes = |entry: &str| {
        check(&text(entry), Format::Yaml, &limits, &())
            .findings
            .iter()
            .map(|finding| finding.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(codes("a, b"), [Code::Unreachable]);
    assert_eq!(codes("a, b, c"), [Code::Limit]);
}

#[test]
fn l1_an_initial_value_and_an_expression_over_their_limits_are_refused() {
    let text = |initial: usize, expression: usize| {
        format!(
            "graph: 1\nid: t\nstate:\n  k: {{initial: {}}}\nentry: [a]\nnodes:\n  a: {{state: {{k: \"'{}'\"}}}}\n",
            "x".repeat(initial),
            "x".repeat(expression)
        )
    };
    assert_eq!(limit(&text((256 << 10) - 2, 4094)), None);
    assert_eq!(
        limit(&text((256 << 10) - 1, 4094)).expect("too large").0,
        "/state/k/initial"
    );
    assert_eq!(
        limit(&text(1, 4095)).expect("too long").0,
        "/nodes/a/state/k"
    );
}

#[test]
fn a_definition_of_the_largest_size_is_checked_in_reasonable_time() {
    // Ten edges between each two neighbours are one edge for paths and 45 pairs for writes.
    let report = report(&line(1_000, 10));
    assert!(report.is_valid(), "{:?}", report.findings);
}

#[test]
fn an_entangled_graph_is_reported_as_not_followed_to_the_end() {
    let mut text = "graph: 1\nid: t\nentry: [n0]\nnodes:\n".to_owned();
    for number in 0..100 {
        writeln!(text, "  n{number}: {{sleep: 1s}}").expect("a string takes text");
    }
    text.push_str("edges:\n");
    for from in 0..100 {
        for to in 0..100 {
            writeln!(text, "  - n{from} -> n{to}").expect("a string takes text");
        }
    }
    let codes: Vec<_> = report(&text)
        .findings
        .iter()
        .map(|finding| finding.code)
        .collect();
    assert_eq!(codes, [Code::Entangled]);
}
