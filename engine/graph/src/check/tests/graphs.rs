//! Findings that depend on the shape of the graph.

use super::{Code, report};

/// The codes and nodes of the findings over nodes `a` to `h`, where `a` is the entry and capital
/// letters are `join_all` nodes. Every small node writes the key `k`.
fn findings(edges: &str) -> Vec<(Code, String)> {
    findings_from("a", edges)
}

fn findings_from(entry: &str, edges: &str) -> Vec<(Code, String)> {
    let names: std::collections::BTreeSet<char> = format!("{entry}{edges}")
        .chars()
        .filter(char::is_ascii_alphabetic)
        .collect();
    let nodes = names.iter().map(|name| {
        if name.is_uppercase() {
            format!("  {name}: {{join_all: {{}}}}\n")
        } else {
            format!("  {name}: {{state: {{k: '1'}}}}\n")
        }
    });
    let edges: String = edges
        .split(' ')
        .filter(|edge| !edge.is_empty())
        .map(|edge| {
            let mut ends = edge.chars();
            let (from, to) = (ends.next().expect("from"), ends.next().expect("to"));
            let when = match ends.next() {
                Some('?') => ", if: 'state.k == 1'",
                Some('!') => ", if: '!(state.k == 1)'",
                Some('~') => ", else: true",
                _ => "",
            };
            format!("  - {{from: {from}, to: {to}{when}}}\n")
        })
        .collect();
    let text = format!(
        "graph: 1\nid: t\nstate: {{k: {{}}}}\nentry: [{entry}]\nnodes:\n{}edges:\n{edges}",
        nodes.collect::<String>()
    );
    let report = report(&text.replace("edges:\n", if edges.is_empty() { "" } else { "edges:\n" }));
    assert!(report.is_valid(), "{text}{:?}", report.findings);
    report
        .findings
        .into_iter()
        .map(|finding| (finding.code, finding.path.replace("/nodes/", "")))
        .collect()
}

fn writes(edges: &str) -> String {
    let list = findings(edges)
        .into_iter()
        .filter(|(code, _)| *code == Code::ConflictingWrites);
    list.map(|(_, node)| node).collect::<Vec<_>>().join(",")
}

fn joins(edges: &str) -> String {
    let list = findings(edges)
        .into_iter()
        .filter(|(code, _)| *code == Code::SinglePath);
    list.map(|(_, node)| node).collect::<Vec<_>>().join(",")
}

#[test]
fn nodes_conflict_only_if_they_may_be_in_one_frontier() {
    assert_eq!(writes("ab bc"), "");
    assert_eq!(writes("ab ac"), "b");
    // After a fork, only nodes at the same distance are in one frontier.
    assert_eq!(writes("ab ac cd"), "b");
    assert_eq!(writes("ab ac bd ce"), "b,d");
    // Two arrivals at a node that is not a join are two activations.
    assert_eq!(writes("ab ac bd cd"), "b,d");
    // After a join there is one activation.
    assert_eq!(writes("ab ac bJ cJ Jd"), "b");
    // Edges that exclude each other are not a fork.
    assert_eq!(writes("ab? ac~"), "");
    assert_eq!(writes("ab? ac!"), "");
    assert_eq!(writes("ab? ac?"), "b");
    // A loop beside a path brings each distance together.
    assert_eq!(writes("ab ac bb cd"), "b,b");
}

#[test]
fn two_entries_are_in_one_frontier() {
    let codes = findings_from("a, b", "");
    assert_eq!(codes, [(Code::ConflictingWrites, "a".to_owned())]);
}

#[test]
fn a_join_that_one_path_reaches_is_found_through_nodes_and_joins() {
    assert_eq!(joins("ab bJ"), "J");
    assert_eq!(joins("ab ac bJ cJ"), "");
    // Two activations of one node are two paths.
    assert_eq!(joins("ab ac bd cd dJ"), "");
    // A join on the way sends one activation on.
    assert_eq!(joins("ab ac bJ cJ JK"), "K");
    assert_eq!(joins("ab ac bJ cJ Jd dK JK"), "");
    // Paths of the next visit count apart from those of the first.
    assert_eq!(joins("aJ Jb bJ"), "J");
    assert_eq!(joins("aJ Jb Jc bJ cJ"), "");
    // A loop before the join may bring several arrivals.
    assert_eq!(joins("ab bb bJ"), "");
}
