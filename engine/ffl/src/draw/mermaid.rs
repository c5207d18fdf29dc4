//! A picture as a Mermaid flowchart.

use std::fmt::Write;

use super::picture::{Item, Picture, Shape, line};

pub(super) fn mermaid(picture: &Picture) -> String {
    let title = quote(&picture.title);
    let mut text = format!("---\ntitle: \"{title}\"\n---\nflowchart TD\n");
    items(&mut text, &picture.items, 1);
    for edge in &picture.edges {
        let arrow = if edge.is_reference { "-->" } else { "-.->" };
        line(
            &mut text,
            1,
            &format!("n{} {arrow} n{}", edge.from, edge.to),
        );
    }
    text
}

fn items(text: &mut String, items_of: &[Item], depth: usize) {
    for item in items_of {
        match item {
            Item::Node {
                number,
                shape,
                lines,
            } => {
                let (open, close) = shape_of(*shape);
                let lines: Vec<String> = lines.iter().map(|line| quote(line)).collect();
                let label = match lines.as_slice() {
                    [] => " ".to_owned(),
                    lines => lines.join("<br/>"),
                };
                line(text, depth, &format!("n{number}{open}\"{label}\"{close}"));
            }
            Item::Frame {
                number,
                label,
                items: inner,
            } => {
                line(
                    text,
                    depth,
                    &format!("subgraph f{number} [\"{}\"]", quote(label)),
                );
                items(text, inner, depth + 1);
                line(text, depth, "end");
            }
        }
    }
}

const fn shape_of(shape: Shape) -> (&'static str, &'static str) {
    match shape {
        Shape::Start => ("((", "))"),
        Shape::Event => ("[", "]"),
        Shape::Facet => ("(", ")"),
        Shape::Workflow => ("[[", "]]"),
        Shape::Schema => ("[/", "/]"),
        Shape::Yield => ("([", "])"),
    }
}

/// Writes text so that Mermaid shows it as it is: each character with a meaning as its code.
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_alphanumeric() || " .,:-_+=()!$".contains(character) {
            quoted.push(character);
        } else {
            write!(quoted, "#{};", u32::from(character)).expect("a string takes text");
        }
    }
    quoted
}
