//! The bucket a URL names, and a word about its troubles.

mod open;
mod reported;
mod wrapped;

pub(crate) use open::{Location, LocationError, OpenError, Opened};
pub(crate) use reported::Reported;
pub(crate) use wrapped::Wrapped;
