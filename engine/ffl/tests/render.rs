//! Diagnostics drawn for a terminal.
#![cfg(feature = "render")]

use millpond_ffl::diag::render;
use millpond_ffl::parse::parse;
use millpond_ffl::source::{Origin, Sources};

#[test]
fn a_diagnostic_is_drawn_with_its_line_its_label_and_its_help() {
    let mut sources = Sources::new();
    sources
        .add("first.ffl", Origin::Primary, "facet A()\n")
        .expect("small");
    let text = "facet F(\n    größe: Int\nfacet G(a: Int = \"ä\" ++ x)\nfacet H(";
    let id = sources
        .add("second.ffl", Origin::Primary, text)
        .expect("small");
    let drawn = render(&parse(&sources, id).diagnostics, &sources, false);
    assert!(drawn == include_str!("render/second.txt"), "now:\n{drawn}");
    assert!(!drawn.contains('\u{1b}'));
}

#[test]
fn colors_are_drawn_on_request() {
    let mut sources = Sources::new();
    let id = sources
        .add("a.ffl", Origin::Primary, "facet F(")
        .expect("small");
    assert!(render(&parse(&sources, id).diagnostics, &sources, true).contains('\u{1b}'));
}
