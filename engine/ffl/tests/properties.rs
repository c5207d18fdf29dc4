//! What holds for every text.

mod properties {
    pub(crate) mod generate;
}

use millpond_ffl::diag::{Diagnostic, located};
use millpond_ffl::format::format;
use millpond_ffl::parse::{MAX_ERRORS, Parsed, parse};
use millpond_ffl::source::{Origin, SourceId, Sources};
use properties::generate::{Token, program, text_of};
use proptest::prelude::*;

fn sources_of(text: &str) -> (Sources, SourceId) {
    let mut sources = Sources::new();
    let id = sources.add("a.ffl", Origin::Primary, text).expect("small");
    (sources, id)
}

fn parsed(text: &str) -> Parsed {
    let (sources, id) = sources_of(text);
    parse(&sources, id)
}

/// The tree without places: spans, and the lines and indentation of scripts.
fn tree(parsed: &Parsed) -> String {
    const PLACES: [&str; 5] = ["span: ", "text_span: ", "first_line: ", "indent: ", "0@"];
    let debug = format!("{:#?}", parsed.file);
    let is_place = |line: &str| {
        PLACES
            .iter()
            .any(|place| line.trim_start().starts_with(place))
    };
    debug
        .lines()
        .filter(|line| !is_place(line))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The words of all comments, in order.
fn comments(text: &str, parsed: &Parsed) -> Vec<String> {
    let all = parsed.comments.iter();
    all.map(|comment| {
        text[comment.span.range()]
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    })
    .collect()
}

/// What holds for the errors of every text.
fn check_errors(text: &str, found: &[Diagnostic]) {
    assert!(found.len() <= MAX_ERRORS);
    assert!(found.is_sorted_by_key(|diagnostic| diagnostic.span.start));
    for diagnostic in found {
        assert!(
            text.get(diagnostic.span.range()).is_some(),
            "a span within the text: {diagnostic:?}"
        );
        assert!(!diagnostic.message.is_empty());
    }
    let (sources, _) = sources_of(text);
    assert_eq!(located(found, &sources).len(), found.len());
}

fn same(now: &str, expected: &str, text: &str) -> Result<(), TestCaseError> {
    let differs = now
        .lines()
        .zip(expected.lines())
        .find(|(now, expected)| now != expected);
    prop_assert!(now == expected, "{:#?}\n{}", differs, text);
    Ok(())
}

fn check_format(text: &str) -> Result<(), TestCaseError> {
    let before = parsed(text);
    prop_assert_eq!(&before.diagnostics, &[], "{}", text);
    let (sources, id) = sources_of(text);
    let formatted = format(&sources, id).expect("a text without errors");
    let after = parsed(&formatted);
    prop_assert_eq!(&after.diagnostics, &[], "{}", formatted);
    same(&tree(&after), &tree(&before), text)?;
    let comments_after = comments(&formatted, &after).join("\n");
    same(&comments_after, &comments(text, &before).join("\n"), text)?;
    let (sources, id) = sources_of(&formatted);
    let again = format(&sources, id).expect("a text without errors");
    same(&again, &formatted, text)?;
    Ok(())
}

/// Texts that the language consists of, and some that it does not.
const PIECES: [&str; 64] = [
    "namespace",
    "use",
    "facet",
    "event facet",
    "workflow",
    "schema",
    "implicit",
    "with",
    "as",
    "script",
    "script python",
    "prompt",
    "andThen",
    "foreach",
    "in",
    "when",
    "case",
    "yield",
    "catch",
    "_ =>",
    "a",
    "b.c",
    "$.x",
    "$",
    "s = F()",
    "F(",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "#{",
    ",",
    ":",
    ";",
    "=",
    "=>",
    "==",
    "<",
    "++",
    "+",
    "-",
    "!",
    "&&",
    "|",
    "&",
    "1",
    "1.5",
    "1e5",
    "99999999999999999999",
    "\"text\"",
    "\"",
    "'",
    "// c\n",
    "/* c */",
    "/** d */",
    "/*",
    "\n",
    "\\",
    "@",
    "\u{e9}",
    "\u{feff}",
    ".",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn formatting_keeps_the_tree_and_the_comments_and_is_idempotent(
        choices in prop::collection::vec(any::<u8>(), 0..300),
        blanks in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        check_format(&text_of(&program(&choices), &blanks))?;
    }

    #[test]
    fn a_changed_program_neither_panics_nor_hangs(
        choices in prop::collection::vec(any::<u8>(), 0..300),
        blanks in prop::collection::vec(any::<u8>(), 0..20),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
    ) {
        let mut tokens = program(&choices);
        for (number, (at, other)) in changes.iter().enumerate() {
            let (at, other) = (at.index(tokens.len()), other.index(PIECES.len()));
            match number {
                0 => { tokens.remove(at); }
                1 => tokens.insert(at, Token { text: PIECES[other].to_owned(), glued: false }),
                _ => tokens.swap(at, 0),
            }
            if tokens.is_empty() {
                break;
            }
        }
        let text = text_of(&tokens, &blanks);
        check_errors(&text, &parsed(&text).diagnostics);
    }

    #[test]
    fn pieces_of_the_language_in_any_order_neither_panic_nor_hang(
        pieces in prop::collection::vec((0..PIECES.len(), any::<bool>()), 0..200),
    ) {
        let text: String = pieces
            .iter()
            .flat_map(|(piece, blank)| [PIECES[*piece], if *blank { " " } else { "" }])
            .collect();
        check_errors(&text, &parsed(&text).diagnostics);
    }

    #[test]
    fn any_characters_neither_panic_nor_hang(text in any::<String>()) {
        check_errors(&text, &parsed(&text).diagnostics);
    }
}
