//! Graph workflows: definitions as data, nodes and edges over a typed state.
//!
//! Everything but [`run`] is pure: it reads, checks and computes, without a clock, randomness and
//! I/O. [`run`] is a graph as a workflow of the engine.
//!
//! ```
//! use std::sync::Arc;
//!
//! use millpond_graph::Limits;
//! use millpond_graph::check::check;
//! use millpond_graph::program::{Begin, Program};
//! use millpond_graph::read::Format;
//!
//! let text = r#"{
//!     "graph": 1, "id": "greet", "entry": ["hello"],
//!     "state": {"name": {"schema": {"type": "string"}}, "greeting": {}},
//!     "input": {"required": ["name"]},
//!     "nodes": {"hello": {"state": {"greeting": "'hello, ' + state.name"}}}
//! }"#;
//! let limits = Limits::default();
//! let report = check(text, Format::Json, &limits, &());
//! assert!(report.is_valid());
//!
//! let definition = report.definition.expect("a valid definition is there");
//! let program = Program::compile(Arc::new(definition), &limits)?;
//! let input = serde_json::json!({"name": "ana"});
//! let state = program.shape().start(input.as_object().expect("an object"))?;
//! let node = "hello".parse()?;
//! let Begin::Decided(contributions) = program.begin(&node, &state)? else { panic!("a state node is decided") };
//! assert_eq!(contributions[0].1, "hello, ana");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod category;
pub mod check;
pub mod definition;
pub mod draw;
pub mod express;
pub mod frontier;
mod limits;
pub mod machine;
pub mod pins;
pub mod pointer;
pub mod program;
mod reach;
pub mod read;
pub mod restore;
pub mod run;
pub mod state;

pub use category::Category;
pub use limits::{LimitExceeded, Limits};
