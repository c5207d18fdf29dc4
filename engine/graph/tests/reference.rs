//! The examples of docs/graph.md are definitions without a finding.

#![cfg(all(feature = "yaml", feature = "toml"))]

use std::collections::BTreeMap;
use std::path::Path;
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

/// The rows of the acceptance list with their third column.
fn rows() -> BTreeMap<String, String> {
    let list = REFERENCE.split("### Acceptance list").nth(1);
    let lines = list.expect("the list is there").lines();
    lines
        .filter_map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let row = cells.get(1).filter(|row| is_row(row))?;
            Some((row.to_lowercase(), (*cells.get(3)?).to_owned()))
        })
        .collect()
}

fn is_row(text: &str) -> bool {
    let mut characters = text.chars();
    characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && characters
            .next()
            .is_some_and(|second| second.is_ascii_digit())
        && characters.next().is_none()
}

/// Adds where each row has tests: `runs`, or `machine` for all other rooms.
fn tested(folder: &Path, found: &mut BTreeMap<String, Vec<&'static str>>) {
    for entry in std::fs::read_dir(folder).expect("a folder of this crate") {
        let path = entry.expect("an entry of this crate").path();
        if path.is_dir() {
            tested(&path, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source of this crate");
        let of_runs = path.starts_with(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/run"));
        let place = if of_runs { "runs" } else { "machine" };
        for name in text
            .split("\n")
            .filter_map(|line| line.trim().strip_prefix("fn "))
        {
            if let Some((row, _)) = name.split_once('_')
                && is_row(row)
            {
                found.entry(row.to_owned()).or_default().push(place);
            }
        }
    }
}

#[test]
fn the_acceptance_list_names_the_rows_that_have_tests() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeMap::new();
    tested(&here.join("src"), &mut found);
    tested(&here.join("tests"), &mut found);
    let rows = rows();
    assert!(found.keys().all(|row| rows.contains_key(row)), "{found:?}");
    let mut wrong = Vec::new();
    for (row, claimed) in rows {
        let mut places = found.remove(&row).unwrap_or_default();
        places.sort_unstable();
        places.dedup();
        let places = places.join(", ");
        if places != claimed {
            wrong.push(format!(
                "{row}: tested in {places:?}, listed as {claimed:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
