//! The canonical text.

use millpond_ffl::format::format;
use millpond_ffl::source::{Origin, Sources};

fn formatted(text: &str) -> String {
    let mut sources = Sources::new();
    let id = sources.add("a.ffl", Origin::Primary, text).expect("small");
    format(&sources, id).unwrap_or_else(|found| panic!("{found:?}"))
}

#[test]
fn a_text_of_every_production_has_its_canonical_form() {
    let canonical = include_str!("format/shop.ffl");
    let actual = formatted(include_str!("format/shop.in.ffl"));
    assert!(actual == canonical, "now:\n{actual}");
    assert_eq!(formatted(canonical), canonical);
}

#[test]
fn a_text_with_errors_is_not_formatted() {
    let mut sources = Sources::new();
    let id = sources
        .add("a.ffl", Origin::Primary, "facet F(")
        .expect("small");
    let found = format(&sources, id).expect_err("an error");
    assert_eq!(found.len(), 1);
}

#[test]
fn an_empty_text_stays_empty() {
    assert_eq!(formatted(""), "");
    assert_eq!(formatted("\n \n"), "");
    assert_eq!(formatted("\n // only a comment  "), "// only a comment\n");
}
