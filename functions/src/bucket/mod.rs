//! The bucket that a URL names, with its wrappers.

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
