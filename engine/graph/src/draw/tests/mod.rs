use serde_json::json;

use super::{Marks, dot, mermaid};
use crate::definition::Definition;
use crate::run::{Activity, ActivityStatus};

fn definition() -> Definition {
    let json = json!({"graph": 1, "id": "a.b", "entry": ["one"], "nodes": {
        "one": {"agent": "writer", "prompt": "p"},
        "two": {"input": {"message": "m", "target": "k"}},
        "three": {"join_all": {}},
        "four": {"map": {"over": "[1]", "definition": {"cel": "\"x\" + '\\\\' + \"]}>\""}}},
        "five": {"sleep": {"until": "state.k == \"a very long text that nobody wants to see in a diagram\""}}},
        "edges": ["one -> two", {"from": "two", "to": "one", "if": "state.k != \"|\" && true"},
            {"from": "two", "to": "three", "else": true}, "one -> gone"]});
    serde_json::from_value(json).expect("a definition")
}

#[test]
fn a_mermaid_flowchart_shows_nodes_entries_and_conditions() {
    let expected = "---\ntitle: \"a.b\"\n---\nflowchart TD\n    \
        start((\" \"))\n    \
        n0([\"five<br/>sleep: until state.k == #34;a very long text that nobody wan...\"])\n    \
        n1[[\"four<br/>map: #34;x#34; + #39;#92;#92;#39; + #34;#93;#125;#62;#34;\"]]\n    \
        n2[\"one<br/>agent: writer\"]\n    \
        n3{{\"three<br/>join_all\"}}\n    \
        n4[\\\"two<br/>input: k\"/]\n    \
        start --> n2\n    \
        n2 --> n4\n    \
        n4 -->|\"state.k != #34;#124;#34; #38;#38; true\"| n2\n    \
        n4 -->|\"else\"| n3\n";
    assert_eq!(mermaid(&definition(), &Marks::default()), expected);
}

#[test]
fn a_dot_graph_shows_nodes_entries_and_conditions() {
    let text = dot(&definition(), &Marks::default());
    for line in [
        "digraph \"a.b\" {",
        "    n0 [shape=oval, label=\"five\\nsleep: until state.k == \\\"a very long text that nobody wan...\"];",
        "    n1 [shape=box3d, label=\"four\\nmap: \\\"x\\\" + '\\\\\\\\' + \\\"]}>\\\"\"];",
        "    n3 [shape=hexagon, label=\"three\\njoin_all\"];",
        "    start -> n2;",
        "    n2 -> n4;",
        "    n4 -> n2 [label=\"state.k != \\\"|\\\" && true\"];",
        "    n4 -> n3 [label=\"else\"];",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    assert!(text.ends_with("}\n"));
}

/// Two activations of one node, and one of another.
fn marks() -> Marks {
    let one = |activation: &str, node: &str, status| Activity {
        activation: activation.parse().unwrap(),
        node: node.parse().unwrap(),
        status,
        attempts: 1,
        failure: None,
        children: Vec::new(),
    };
    Marks::of(&[
        one("0.0", "one", ActivityStatus::Failed),
        one("2.0", "one", ActivityStatus::Completed),
        one("3.0", "two", ActivityStatus::Waiting),
    ])
}

#[test]
fn a_diagram_of_a_run_shows_the_state_of_each_node_that_has_begun_something() {
    let flowchart = mermaid(&definition(), &marks());
    for line in [
        "    n2[\"one<br/>agent: writer<br/>failed, 2 activations\"]",
        "    style n2 fill:#f8d7da",
        "    n4[\\\"two<br/>input: k<br/>waiting\"/]",
        "    style n4 fill:#fff3cd",
        "    n3{{\"three<br/>join_all\"}}",
    ] {
        assert!(
            flowchart.lines().any(|found| found == line),
            "{line}\n{flowchart}"
        );
    }
    let graph = dot(&definition(), &marks());
    let two = "    n4 [shape=invtrapezium, label=\"two\\ninput: k\\nwaiting\", style=filled, fillcolor=\"#fff3cd\"];";
    assert!(graph.lines().any(|found| found == two), "{graph}");
}
