//! A definition as a Mermaid flowchart.

use std::fmt::Write;

use super::marks::Marks;
use super::picture::Picture;
use crate::definition::{Definition, Kind};

/// Draws a definition as a Mermaid flowchart, with the states of its nodes in a run.
#[must_use]
pub fn mermaid(definition: &Definition, marks: &Marks) -> String {
    let picture = Picture::of(definition);
    let mut text = format!("---\ntitle: \"{}\"\n---\nflowchart TD\n", picture.title);
    let mut line = |line: String| writeln!(text, "    {line}").expect("a string takes text");
    line("start((\" \"))".to_owned());
    for (number, (id, kind, label)) in picture.nodes.iter().enumerate() {
        let (open, close) = shape(kind);
        let mark = marks.get(id);
        let state = mark.map_or_else(String::new, |mark| format!("<br/>{}", mark.text()));
        let (name, label) = (quote(id.as_str()), quote(label));
        line(format!(
            "n{number}{open}\"{name}<br/>{label}{state}\"{close}"
        ));
        if let Some(mark) = mark {
            line(format!("style n{number} fill:{}", mark.color()));
        }
    }
    for entry in &picture.entries {
        line(format!("start --> n{entry}"));
    }
    for (from, to, label) in &picture.edges {
        match label {
            None => line(format!("n{from} --> n{to}")),
            Some(label) => line(format!("n{from} -->|\"{}\"| n{to}", quote(label))),
        }
    }
    text
}

const fn shape(kind: &Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Action(_) | Kind::Agent(_) => ("[", "]"),
        Kind::State(_) => ("[/", "/]"),
        Kind::Input(_) => ("[\\", "/]"),
        Kind::Sleep(_) => ("([", "])"),
        Kind::Child(_) | Kind::Map(_) | Kind::Pipeline(_) => ("[[", "]]"),
        Kind::JoinAll | Kind::JoinFirst => ("{{", "}}"),
    }
}

/// Writes text so that Mermaid shows it as it is: each character with a meaning as its code.
// `millpond-ffl` has a similar function (dot.rs).
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_alphanumeric()
            || matches!(
                character,
                ' ' | '.' | ',' | ':' | '-' | '_' | '+' | '=' | '(' | ')' | '!'
            )
        {
            quoted.push(character);
        } else {
            write!(quoted, "#{};", u32::from(character)).expect("a string takes text");
        }
    }
    quoted
}
