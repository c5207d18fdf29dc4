//! A definition as a DOT graph.

use std::fmt::Write;

use super::marks::Marks;
use super::picture::Picture;
use crate::definition::{Definition, Kind};

/// Draws a definition as a DOT graph, with the states of its nodes in a run.
#[must_use]
pub fn dot(definition: &Definition, marks: &Marks) -> String {
    let picture = Picture::of(definition);
    let mut text = format!("digraph \"{}\" {{\n", quote(picture.title));
    let mut line = |line: String| writeln!(text, "    {line}").expect("a string takes text");
    line("node [fontname=\"Helvetica\"];".to_owned());
    line("edge [fontname=\"Helvetica\", fontsize=10];".to_owned());
    line("start [shape=circle, style=filled, fillcolor=black, label=\"\", width=0.2];".to_owned());
    for (number, (id, kind, label)) in picture.nodes.iter().enumerate() {
        let (state, style) = marks.get(id).map_or_else(Default::default, |mark| {
            let style = format!(", style=filled, fillcolor=\"{}\"", mark.color());
            (format!("\\n{}", mark.text()), style)
        });
        let (id, label) = (quote(id.as_str()), quote(label));
        line(format!(
            "n{number} [shape={}, label=\"{id}\\n{label}{state}\"{style}];",
            shape(kind)
        ));
    }
    for entry in &picture.entries {
        line(format!("start -> n{entry};"));
    }
    for (from, to, label) in &picture.edges {
        match label {
            None => line(format!("n{from} -> n{to};")),
            Some(label) => line(format!("n{from} -> n{to} [label=\"{}\"];", quote(label))),
        }
    }
    text.push_str("}\n");
    text
}

const fn shape(kind: &Kind) -> &'static str {
    match kind {
        Kind::Action(_) | Kind::Agent(_) => "box",
        Kind::State(_) => "parallelogram",
        Kind::Input(_) => "invtrapezium",
        Kind::Sleep(_) => "oval",
        Kind::Child(_) | Kind::Map(_) | Kind::Pipeline(_) => "box3d",
        Kind::JoinAll | Kind::JoinFirst => "hexagon",
    }
}

/// Writes text between quotes: backslashes and quotes are escaped, control characters are left out.
// `millpond-ffl` has the same function: neither crate depends on the other, and the drawings have
// nothing else in common.
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for character in text.chars().filter(|character| !character.is_control()) {
        if matches!(character, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted
}
