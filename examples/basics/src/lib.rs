//! Seven small workflows: a step, a step with state, a signal, a timer, children, a saga, and one
//! without an end.
//!
//! Each module contains one workflow and the test that runs it on `millpond_testing::World`, an
//! engine in memory with simulated time: `cargo nextest run -p millpond-basics`.

pub mod children;
pub mod forever;
pub mod saga;
pub mod signal;
pub mod state;
pub mod step;
pub mod timer;
