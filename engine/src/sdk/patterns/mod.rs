//! Patterns: what many workflows do with several frames. They use the context only as authors do,
//! so a workflow that needs something else can do it in its own code.

mod map;
mod poll;
mod saga;

pub use map::Map;
pub use saga::Saga;
