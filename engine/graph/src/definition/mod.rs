//! What a graph workflow is: the parts of a definition as types.
//!
//! Each type reads and writes the JSON form. A field that is not known is an error, and so is a
//! null where the type of the field does not permit one.

mod canonical;
mod children;
mod edge;
mod graph;
mod ids;
mod keys;
mod names;
mod node;
mod published;
mod retry;
mod span;
mod strict;
#[cfg(test)]
pub(crate) mod tests;
mod text;
mod work;
mod writes;

pub use canonical::{canonical, digest};
pub use children::{
    Checkpoint, Child, Computed, Concurrency, History, Init, MOST_EXACT, MOST_TASKS, Map, MapOver,
    MapTasks, Pipeline, Position, Stage, Task, TaskInit, Which,
};
pub use edge::{Edge, When};
pub use graph::Definition;
pub use ids::{InvalidId, Name, NodeId, Revision, StateKey, TaskKey};
pub use keys::{Input, KeySpec, Reduce, Schema};
pub use node::{Ask, Kind, Node, Sleep, Until};
pub use published::{SCHEMA, schema};
pub use retry::{Factor, Retry};
pub use span::Span;
pub use strict::Whole;
pub use text::{Expression, Template};
pub use work::{Action, Agent, Message, Role, RunsAs, Structured};
