//! Rules that turn events into starts and signals (`triggers.toml`).

mod near;
mod pattern;

pub use pattern::{Known, Pattern, PatternError};
