//! The adapter over scripted answers, and over a server that loses them.

mod conflicts;
mod express;
mod fetch;
mod inspect;
mod listing;
mod lost;
mod map;
mod opening;
mod script;
mod time;
mod urls;
