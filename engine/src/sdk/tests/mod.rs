//! Tests of what authors import.

mod attempt;
mod error;
mod retry;
mod workflow;
