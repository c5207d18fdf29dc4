//! `bucket`: the objects themselves, for operators that inspect them with ordinary tools. Nothing
//! here writes to the bucket.

mod cat;
mod command;
mod export;
mod ls;
mod source;

pub(super) use command::Args;
