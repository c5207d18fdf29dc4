//! The adapter with scripted replies, and with a server that loses them.

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
