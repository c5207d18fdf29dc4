//! The commands, as people and scripts meet them: processes over one file.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bill;
mod bucket;
mod codec;
mod connect;
mod dev;
mod doctor;
mod exits;
mod ffl;
#[cfg(unix)]
mod ffl_examples;
#[cfg(unix)]
mod ffl_run;
#[cfg(feature = "graph")]
mod graph;
#[cfg(all(feature = "graph", unix))]
mod graph_runs;
mod look;
mod objects;
mod repair;
mod retention;
mod s3;
mod serve;
mod signals;
mod store;
#[cfg(feature = "otel")]
mod traces;
mod triggers;
mod world;
