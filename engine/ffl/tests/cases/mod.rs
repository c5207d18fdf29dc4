//! Cases as text files: `=== title`, a text, `---`, and what is expected of the text.

use std::fmt::Write as _;

/// Every case of the file with what `run` gives for its text now.
fn actual(cases: &str, run: impl Fn(&str) -> String) -> String {
    let mut actual = String::new();
    for case in cases.split("=== ").skip(1) {
        let (title, rest) = case.split_once('\n').expect("a title");
        let (text, _) = rest
            .split_once("---\n")
            .unwrap_or_else(|| panic!("no `---` in {title}"));
        let found = run(text);
        write!(actual, "=== {title}\n{text}---\n{found}").expect("a string takes any text");
    }
    actual
}

/// Fails with the whole file as it is now if a case differs from what the file expects.
pub(crate) fn check(cases: &str, run: impl Fn(&str) -> String) {
    assert!(cases.matches("=== ").count() > 1, "the file has cases");
    let actual = actual(cases, run);
    if actual != cases {
        let first = actual.lines().zip(cases.lines()).position(|(a, b)| a != b);
        panic!(
            "differs from line {:?} on; now:\n{actual}",
            first.map(|line| line + 1)
        );
    }
}
