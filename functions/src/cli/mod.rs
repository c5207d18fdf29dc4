//! The commands of operators and developers, one a file.

mod args;
mod bucket;
mod command;
mod context;
mod control;
mod cost_meter;
mod dev;
mod doctor;
mod entries;
mod error;
mod events;
mod exit;
mod ffl;
mod find;
mod globals;
#[cfg(feature = "graph")]
mod graph;
mod histories;
mod input;
mod invocation;
mod invoke;
mod journal;
mod list;
mod log;
mod needs;
mod progress;
mod query;
mod replay;
mod result;
mod retention;
mod serve;
mod show;
mod signal;
mod start;
mod streams;
mod subprocess;
mod text;
mod tree;
mod triggers;
mod versions;
mod watch;
mod worker;
mod workflows;

pub use exit::Exit;
pub(crate) use invoke::invoke;
pub use streams::Streams;
