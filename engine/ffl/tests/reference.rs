//! The examples of `docs/ffl.md`: each check is caused by its first text, and not by its second.

use millpond_ffl::diag::Code;
use millpond_ffl::json::Detail;
use millpond_ffl::program::compile;
use millpond_ffl::source::{Origin, Sources};

const REFERENCE: &str = include_str!("../../../docs/ffl.md");

/// What the examples refer to, as listed on the page.
const KNOWN: &str = "event facet E() => (i: Int, b: Boolean, s: S) schema S { i: Int } \
    facet F(x: Json = 1) facet M()";

/// The program that an example is a part of.
fn program(code: &str, example: &str) -> String {
    let starts = |words: &[&str]| words.iter().any(|word| example.starts_with(word));
    let is_step = example
        .split_once(" = ")
        .is_some_and(|(name, _)| name.chars().all(char::is_alphanumeric));
    let inner = if starts(&["namespace "]) || code == "E105" || code == "E106" {
        return example.to_owned();
    } else if starts(&["facet ", "event ", "workflow ", "schema ", "implicit "]) {
        example.to_owned()
    } else if starts(&["yield "]) {
        format!("facet F() => (a: Int, b: Int) andThen {{ {example} }}")
    } else if starts(&["andThen "]) {
        format!("{KNOWN} facet Q() {example}")
    } else if starts(&["when "]) {
        format!("{KNOWN} facet Q(b: Boolean) andThen {example}")
    } else if starts(&["case "]) {
        format!(
            "{KNOWN} facet Q() andThen {{ e = E() }} andThen when {{ {example} case _ => {{ }} }}"
        )
    } else if is_step {
        format!("{KNOWN} facet Q() andThen {{ {example} }}")
    } else {
        format!("{KNOWN} facet Q() andThen {{ e = E() f = F(x = {example}) }}")
    };
    format!("namespace n {{ {inner} }}")
}

fn codes(text: &str) -> Vec<Code> {
    let mut sources = Sources::new();
    sources
        .add("example.ffl", Origin::Primary, text)
        .expect("an example is small");
    let found = match compile(&sources, Detail::default()) {
        Ok(compiled) => compiled.warnings,
        Err(diagnostics) => diagnostics,
    };
    found
        .into_iter()
        .map(|diagnostic| diagnostic.code)
        .collect()
}

/// The code of a cell that consists of nothing else.
fn example(cell: &str) -> Option<&str> {
    let inner = cell.trim().strip_prefix('`')?.strip_suffix('`')?;
    (!inner.contains('`')).then_some(inner)
}

#[test]
fn c1_the_examples_of_the_page_are_reported_or_not_as_listed() {
    let mut checked = 0;
    for row in REFERENCE.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [code, _, reported, not_reported] = cells.as_slice() else {
            continue;
        };
        let (code, texts) = (code.trim(), (example(reported), example(not_reported)));
        // Some rows describe a text instead.
        let (Some(reported), Some(not_reported)) = texts else {
            continue;
        };
        let Some(code) = Code::ALL.iter().find(|known| known.as_str() == code) else {
            continue;
        };
        let found = codes(&program(code.as_str(), reported));
        assert!(found.contains(code), "{code}: {reported}: {found:?}");
        let found = codes(&program(code.as_str(), not_reported));
        let is_syntax = |found: &Code| found.as_str() < "E100" && found.as_str().starts_with('E');
        let is_bad = |found: &Code| found == code || is_syntax(found);
        assert!(
            !found.iter().any(is_bad),
            "{code}: {not_reported}: {found:?}"
        );
        checked += 1;
    }
    assert!(checked > 30, "only {checked} rows have two examples");
}

#[test]
fn c1_the_page_lists_every_code() {
    for code in Code::ALL {
        let mut cells = REFERENCE.lines().filter_map(|line| line.strip_prefix("| "));
        let lists = |cell: &str| {
            let (codes, _) = cell.split_once(" |").unwrap_or_default();
            codes.split(' ').any(|listed| listed == code.as_str())
        };
        assert!(cells.any(lists), "{code}");
    }
}

/// The sources of the tests that the page names.
const TESTS: [&str; 5] = [
    include_str!("run/cuts.rs"),
    include_str!("run/limits.rs"),
    include_str!("run/order.rs"),
    include_str!("run/states.rs"),
    include_str!("../../../functions/tests/cli/ffl_run.rs"),
];

/// The cases that the page names.
const CASES: [(&str, &str); 6] = [
    ("blocks.txt", include_str!("run/blocks.txt")),
    ("errors.txt", include_str!("run/errors.txt")),
    ("mixins.txt", include_str!("run/mixins.txt")),
    ("parameters.txt", include_str!("run/parameters.txt")),
    ("steps.txt", include_str!("run/steps.txt")),
    ("yields.txt", include_str!("run/yields.txt")),
];

/// Whether a test that the page names for a row exists.
fn exists(row: &str, test: &str) -> bool {
    let has_case =
        |(name, cases): &(&str, &str)| *name == test && cases.contains(&format!("=== {row} "));
    let prefix = format!("{}_", row.to_lowercase());
    let function = format!("fn {test}(");
    let is_function = || TESTS.iter().any(|source| source.contains(&function));
    CASES.iter().any(has_case) || (test.starts_with(&prefix) && is_function())
}

#[test]
fn the_tests_that_the_page_lists_exist_and_no_other_has_a_row() {
    let (_, section) = REFERENCE
        .split_once("| row | behaviour | tests |")
        .expect("the table of tests");
    let (table, _) = section.split_once("\n\n").expect("its end");
    let mut listed = String::new();
    for line in table.lines().skip(2) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let [row, _, tests] = cells.as_slice() else {
            panic!("three cells: {line}");
        };
        for test in tests.split_whitespace().filter(|test| *test != "|") {
            let test = test.trim_matches('`');
            assert!(exists(row.trim(), test), "{row}: no {test}");
            listed.push_str(&format!("{} {test}\n", row.trim()));
        }
    }
    for (name, cases) in CASES {
        for title in cases.lines().filter_map(|line| line.strip_prefix("=== ")) {
            let (row, _) = title.split_once(' ').expect("a row");
            let is_row = row.ends_with(|c: char| c.is_ascii_digit());
            let found = listed.contains(&format!("{row} {name}\n"));
            assert!(!is_row || found, "{name}: {title}");
        }
    }
    let functions = TESTS
        .iter()
        .flat_map(|source| source.split("#[test]").skip(1));
    for function in functions {
        let (_, rest) = function.split_once("fn ").expect("a test");
        let (name, _) = rest.split_once('(').expect("its name");
        let (row, _) = name.split_once('_').expect("words");
        let is_row = row.len() < 4 && row.ends_with(|c: char| c.is_ascii_digit());
        assert!(!is_row || listed.contains(&format!(" {name}\n")), "{name}");
    }
}
