//! `graph`: checks and draws definitions of graph workflows, without a bucket; runs them, and shows
//! and controls their runs.

mod check;
mod command;
mod control;
mod draw;
mod load;
mod report;
mod resolve;
mod run;
mod send;
mod show;
mod subprocess;

pub(super) use command::Args;
