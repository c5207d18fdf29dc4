//! The bucket a URL names, and a word about its troubles.

mod behind;
mod codec;
mod open;
mod reported;
mod wrapped;

pub(crate) use behind::{Behind, Names};
pub(crate) use codec::{KeyringFileError, codec};
pub(crate) use open::{Location, LocationError, OpenError, Opened};
pub(crate) use reported::Reported;
pub(crate) use wrapped::Wrapped;
