//! A picture as a DOT graph.

use super::picture::{Item, Picture, Shape, line};

pub(super) fn dot(picture: &Picture) -> String {
    let mut text = format!("digraph \"{}\" {{\n", quote(&picture.title));
    line(&mut text, 1, "node [fontname=\"Helvetica\"];");
    line(&mut text, 1, "graph [fontname=\"Helvetica\", fontsize=10];");
    items(&mut text, &picture.items, 1);
    for edge in &picture.edges {
        let style = if edge.is_reference {
            ""
        } else {
            " [style=dashed]"
        };
        line(
            &mut text,
            1,
            &format!("n{} -> n{}{style};", edge.from, edge.to),
        );
    }
    text.push_str("}\n");
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
                let lines: Vec<String> = lines.iter().map(|line| quote(line)).collect();
                let (shape, label) = (shape_of(*shape), lines.join("\\n"));
                line(
                    text,
                    depth,
                    &format!("n{number} [{shape}, label=\"{label}\"];"),
                );
            }
            Item::Frame {
                number,
                label,
                items: inner,
            } => {
                line(text, depth, &format!("subgraph cluster_{number} {{"));
                line(text, depth + 1, &format!("label=\"{}\";", quote(label)));
                items(text, inner, depth + 1);
                line(text, depth, "}");
            }
        }
    }
}

const fn shape_of(shape: Shape) -> &'static str {
    match shape {
        Shape::Start => "shape=circle, style=filled, fillcolor=black, width=0.2",
        Shape::Event => "shape=box",
        Shape::Facet => "shape=box, style=rounded",
        Shape::Workflow => "shape=box3d",
        Shape::Schema => "shape=parallelogram",
        Shape::Yield => "shape=oval",
    }
}

/// Writes text between quotes: backslashes and quotes are escaped, control characters are left out.
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
