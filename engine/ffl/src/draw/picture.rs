//! What both diagrams show.

use std::fmt::Write as _;

/// A workflow or facet.
#[derive(Debug)]
pub(super) struct Picture {
    pub(super) title: String,
    pub(super) items: Vec<Item>,
    pub(super) edges: Vec<Edge>,
}

#[derive(Debug)]
pub(super) enum Item {
    Node {
        number: usize,
        shape: Shape,
        /// The name of a step, and what it calls.
        lines: Vec<String>,
    },
    /// A block, a case or a catch.
    Frame {
        number: usize,
        label: String,
        items: Vec<Self>,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Start,
    Event,
    Facet,
    Workflow,
    Schema,
    Yield,
}

/// An arrow between two nodes.
#[derive(Debug)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether `to` refers to `from`; otherwise it is only in a body or catch of it.
    pub(super) is_reference: bool,
}

/// Appends a line at this depth.
pub(super) fn line(text: &mut String, depth: usize, line: &str) {
    writeln!(text, "{:1$}{line}", "", 4 * depth).expect("a string takes text");
}
