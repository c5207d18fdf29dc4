//! Tests of what authors import.

mod error;
mod workflow;
