//! Compiles a definition.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::error::NodeError;
use super::node::{Compiler, Part, PartError};
use crate::definition::{Definition, NodeId, StateKey, When};
use crate::express::{Compiled, Names, Scope};
use crate::limits::Limits;
use crate::state::{InvalidSchema, Shape, State, refuse_large};

/// A definition that is ready to run.
#[derive(Debug, Clone)]
pub struct Program {
    pub(super) definition: Arc<Definition>,
    pub(super) shape: Shape,
    pub(super) parts: BTreeMap<NodeId, Part>,
    /// The condition of each edge, if it has one.
    conditions: Vec<Option<Compiled>>,
    pub(super) limits: Limits,
}

/// A part of a definition that does not compile. A check reports all of them, with places.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// The schema of a key.
    #[error("the schema of a key does not compile: {source}: key={key}")]
    Key {
        /// The key.
        key: StateKey,
        /// Why.
        source: InvalidSchema,
    },
    /// A part of a node.
    #[error("a node does not compile: {source}: node={node}")]
    Node {
        /// The node.
        node: NodeId,
        /// Why.
        source: PartError,
    },
    /// The condition of an edge.
    #[error("the condition of an edge does not compile: {source}: edge={edge}")]
    Edge {
        /// Its index in the definition.
        edge: usize,
        /// Why.
        source: PartError,
    },
}

impl Program {
    /// Compiles a definition.
    ///
    /// # Errors
    /// [`CompileError`] of the first part that does not compile.
    pub fn compile(definition: Arc<Definition>, limits: &Limits) -> Result<Self, CompileError> {
        let shape = Shape::compile(&definition, limits)
            .map_err(|(key, source)| CompileError::Key { key, source })?;
        let compiler = Compiler { limits };
        let mut parts = BTreeMap::new();
        for (id, node) in &definition.nodes {
            let part = compiler.node(node).map_err(|source| CompileError::Node {
                node: id.clone(),
                source,
            })?;
            parts.insert(id.clone(), part);
        }
        let conditions = definition
            .edges
            .iter()
            .enumerate()
            .map(|(edge, spec)| match &spec.when {
                When::If(source) => {
                    let compiled = compiler.expression(source, Names::Result);
                    compiled
                        .map(Some)
                        .map_err(|source| CompileError::Edge { edge, source })
                }
                When::Always | When::Else => Ok(None),
            });
        let conditions = conditions.collect::<Result<_, _>>()?;
        Ok(Self {
            definition,
            shape,
            parts,
            conditions,
            limits: *limits,
        })
    }

    /// Returns the definition.
    #[must_use]
    pub const fn definition(&self) -> &Arc<Definition> {
        &self.definition
    }

    /// Returns the keys of the state, compiled.
    #[must_use]
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns whether the condition of an edge is true; true if the edge has none.
    ///
    /// # Errors
    /// [`NodeError`] if the condition fails or is not a boolean.
    pub fn condition(&self, edge: usize, state: &State, result: &Value) -> Result<bool, NodeError> {
        match self.conditions.get(edge).and_then(Option::as_ref) {
            Some(condition) => Ok(condition.condition(&Scope::of(state).with_result(result))?),
            None => Ok(true),
        }
    }

    pub(super) fn bounded(
        &self,
        name: &'static str,
        value: Value,
        most: usize,
    ) -> Result<Value, NodeError> {
        refuse_large(name, &value, most, &self.limits)?;
        Ok(value)
    }
}
