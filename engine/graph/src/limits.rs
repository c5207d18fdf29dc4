//! The bounds of definitions and states, as settings.

/// What is bounded, and by how much. Sizes are bytes of canonical JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The nodes of a definition.
    pub nodes: usize,
    /// The edges of a definition.
    pub edges: usize,
    /// The text and the canonical form of a definition, in bytes.
    pub definition: usize,
    /// The activations of a frontier.
    pub frontier: usize,
    /// The whole state, in bytes.
    pub state: usize,
    /// One value of the state, in bytes.
    pub value: usize,
    /// How deep lists and objects are nested in one value.
    pub nesting: usize,
    /// The result of a node, in bytes.
    pub result: usize,
    /// A rendered message of an `input` node, in bytes.
    pub message: usize,
    /// The tasks of a `map`.
    pub tasks: usize,
    /// The inputs of all tasks of a `map` together, in bytes: they are in memory at once.
    pub inputs: usize,
    /// The source of an expression, in bytes.
    pub expression: usize,
    /// The operations of one evaluation of an expression.
    pub operations: u64,
    /// The supersteps of a run.
    pub supersteps: u64,
    /// The transitions of a run between two events or beginnings of work. It bounds how long a loop
    /// of nodes without work computes.
    pub transitions: u64,
    /// The settlements of a run that are kept in full; older ones are kept by digest.
    pub settlements: usize,
    /// How many runs are above a child.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            nodes: 1_000,
            edges: 10_000,
            definition: 1 << 20,
            frontier: 1_000,
            state: 1 << 20,
            value: 256 << 10,
            nesting: 64,
            result: 256 << 10,
            message: 8 << 10,
            tasks: 100_000,
            inputs: 64 << 20,
            expression: 4 << 10,
            operations: 100_000,
            supersteps: 1_000_000,
            transitions: 1_000_000,
            settlements: 256,
            depth: 64,
        }
    }
}

/// A bound that a definition or a run exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the limit of {name} is exceeded: found={found}, most={most}")]
pub struct LimitExceeded {
    /// The name of the bound, for example `state`.
    pub name: &'static str,
    /// What was found; at least that much, if counting stopped early.
    pub found: u64,
    /// The bound.
    pub most: u64,
}

/// Refuses `found` if it is more than `most`.
///
/// # Errors
/// [`LimitExceeded`] with the name of the bound.
pub(crate) fn within(name: &'static str, found: usize, most: usize) -> Result<(), LimitExceeded> {
    if found > most {
        return Err(LimitExceeded {
            name,
            found: found as u64,
            most: most as u64,
        });
    }
    Ok(())
}
