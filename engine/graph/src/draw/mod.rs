//! Diagrams of a definition, or of a run of it, as text: Mermaid and DOT.
//!
//! Both show the same: each node with its kind and what it runs, entries, conditions at edges, and
//! edges that close a loop; of a run, also the state of each node that has begun something. Nothing of a definition can leave its place in a diagram: ids are
//! numbers, and all text is quoted.

mod dot;
mod marks;
mod mermaid;
mod picture;
#[cfg(test)]
mod tests;

pub use dot::dot;
pub use marks::Marks;
pub use mermaid::mermaid;
