//! Diagrams of a workflow or facet as text: Mermaid and DOT.
//!
//! Both show the same: each step with what it calls, blocks as frames around their steps, and
//! references between steps. What a step calls is one node, whatever it contains. Nothing of a
//! program can leave its place in a diagram: ids are numbers, and all text is quoted.

mod builder;
mod dot;
mod label;
mod mermaid;
mod picture;

use crate::form::Program;
use picture::Picture;

/// A workflow or facet of a program, ready to be drawn.
#[derive(Debug)]
pub struct Diagram(Picture);

impl Diagram {
    /// The workflow or facet of this qualified name; `None` if there is none.
    ///
    /// ```
    /// # use millpond_ffl::json::Detail;
    /// # use millpond_ffl::program::compile;
    /// # use millpond_ffl::source::{Origin, Sources};
    /// use millpond_ffl::draw::Diagram;
    ///
    /// # let mut sources = Sources::new();
    /// # let text = "namespace n {
    /// #     event facet E(x: Int) => (y: Int)
    /// #     workflow W(x: Int) => (y: Int) andThen { s = E(x = $.x) yield W(y = s.y) }
    /// # }";
    /// # sources.add("n.ffl", Origin::Primary, text)?;
    /// # let program = compile(&sources, Detail::default()).expect("no errors").program;
    /// // workflow W(x: Int) => (y: Int) andThen { s = E(x = $.x) yield W(y = s.y) }
    /// let diagram = Diagram::of(&program, "n.W").expect("the program has it");
    /// let edges = ["    n0 -.-> n1\n", "    n1 --> n2\n"];
    /// assert!(edges.iter().all(|edge| diagram.mermaid().contains(edge)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of(program: &Program, name: &str) -> Option<Self> {
        builder::picture(program, name).map(Self)
    }

    /// As a Mermaid flowchart.
    #[must_use]
    pub fn mermaid(&self) -> String {
        mermaid::mermaid(&self.0)
    }

    /// As a DOT graph.
    #[must_use]
    pub fn dot(&self) -> String {
        dot::dot(&self.0)
    }
}
