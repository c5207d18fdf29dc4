//! What a process does for as long as it lives: plain async functions over an engine.

mod idle;
mod sweeper;
mod worker;

pub use idle::{Idle, until_idle};
pub use sweeper::sweeper;
pub use worker::worker;
