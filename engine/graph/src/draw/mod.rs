//! Diagrams of a definition as text: Mermaid and DOT.
//!
//! Both show the same: each node with its kind and what it runs, entries, conditions at edges, and
//! edges that close a loop. Nothing of a definition can leave its place in a diagram: ids are
//! numbers, and all text is quoted.

mod dot;
mod mermaid;
mod picture;
#[cfg(test)]
mod tests;

pub use dot::dot;
pub use mermaid::mermaid;
