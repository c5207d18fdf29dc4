//! `triggers`: rules that start workflows, and what they make of an event.

mod check;
mod command;
mod event;
mod explain;
mod setting;

pub(super) use command::Args;
