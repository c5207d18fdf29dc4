//! `ffl`: checks, compiles, formats and draws FFL texts without a bucket, and runs them on one.

mod check;
mod command;
mod compile;
mod explain;
mod fmt;
mod graph;
mod handlers;
mod load;
mod paths;
mod program;
mod replace;
mod report;
mod run;
mod subprocess;

pub(super) use command::Args;
