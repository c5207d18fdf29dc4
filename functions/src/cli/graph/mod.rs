//! `graph`: checks and draws definitions of graph workflows, without a bucket; runs them, and shows
//! their runs.

mod check;
mod command;
mod draw;
mod load;
mod report;
mod run;
mod show;
mod subprocess;

pub(super) use command::Args;
