//! The interpreter: a workflow of the engine that runs any program.
//!
//! One run of a workflow is one execution. Event facets are its frames, each under a scope that the
//! text alone decides (`Place`); everything else is computed between them, without an entry or a
//! request, and again in each replay. Only branches that were woken are polled, values are shared,
//! and all orders are those of the text.
//!
//! [`Executable::register`] adds a program to an application, with [`Handlers`] for its event facets.

mod blocks;
mod body;
mod capture;
mod catch;
mod cell;
mod engine;
mod env;
mod executable;
mod fault;
mod foreach;
mod handlers;
mod host;
mod initialize;
mod input;
mod instance;
mod interpreter;
mod mixins;
mod place;
mod prompt;
mod schedule;
mod statements;
mod target;
mod timeout;
mod transmit;
mod when;
mod yields;

pub use executable::Executable;
pub use fault::Fault;
pub use handlers::{Handler, Handlers, InvalidPattern};
pub use host::{Call, Prompt};
pub(crate) use host::{Event, Host};
pub use input::InputError;
pub(crate) use place::Place;

/// The most bodies around a step.
pub const MAX_DEPTH: u32 = 128;

/// The most elements of the list of a `foreach`.
pub const MAX_ELEMENTS: usize = 1_000_000;

/// Why a step with a script fails.
const SCRIPT_UNAVAILABLE: &str = "this build runs no scripts: no interpreter is available";
