//! `triggers`: checks rules, and shows what they do for an event.

mod check;
mod command;
mod event;
mod explain;
mod setting;

pub(super) use command::Args;
