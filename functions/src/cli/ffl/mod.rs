//! `ffl`: checks, compiles and formats FFL texts, without a bucket.

mod check;
mod command;
mod compile;
mod fmt;
mod load;
mod paths;
mod replace;
mod report;

pub(super) use command::Args;
