//! `graph`: checks and draws definitions of graph workflows, without a bucket.

mod check;
mod command;
mod draw;
mod load;
mod report;

pub(super) use command::Args;
