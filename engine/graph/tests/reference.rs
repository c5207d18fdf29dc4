//! The examples of docs/graph.md are definitions without a finding.

#![cfg(all(feature = "yaml", feature = "toml"))]

use std::sync::Arc;

use millpond_graph::Limits;
use millpond_graph::check::{Code, check};
use millpond_graph::definition::Kind;
use millpond_graph::program::Program;
use millpond_graph::read::Format;

const REFERENCE: &str = include_str!("../../../docs/graph.md");

fn examples() -> Vec<&'static str> {
    let blocks = REFERENCE.split("```yaml\n").skip(1);
    blocks
        .map(|rest| rest.split("```").next().expect("a block has an end"))
        .collect()
}

#[test]
fn every_example_is_a_definition_without_a_finding() {
    let examples = examples();
    assert!(examples.len() >= 10, "{}", examples.len());
    for example in examples {
        let report = check(example, Format::Yaml, &Limits::default(), &());
        assert_eq!(report.findings, [], "{example}");
        let definition = report
            .definition
            .expect("a definition without findings is there");
        Program::compile(Arc::new(definition), &Limits::default())
            .expect("what is checked compiles");
    }
}

#[test]
fn every_kind_of_node_and_every_code_is_in_the_reference() {
    for kind in Kind::NAMES {
        let used = examples().into_iter().any(|example| {
            example.contains(&format!("{kind}: ")) || example.contains(&format!("{kind}:\n"))
        });
        assert!(used, "{kind}");
    }
    for code in Code::ALL {
        assert!(
            REFERENCE.contains(&format!("`{}`", code.name())),
            "{}",
            code.name()
        );
    }
}
