//! A real store beside the memory of the engine's own tests (`engine/src/testing/mirror.rs`): it
//! serves a bucket over TCP, each connection in a folder of its own, one request after the other,
//! and counts the requests.

mod counts;
mod room;
mod serve;
mod wire;

pub use counts::{Counts, Verbs, over, sum, table};
pub use serve::Mirror;
