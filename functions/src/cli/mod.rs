//! The commands of operators and developers, one a file.

mod args;
mod desk;
mod dev;
mod error;
mod exit;
mod find;
mod invoke;
mod list;
mod progress;
mod result;
mod serve;
mod show;
mod start;
mod streams;
mod text;
mod tree;
mod worker;

pub use exit::Exit;
pub(crate) use invoke::invoke;
pub use streams::Streams;
