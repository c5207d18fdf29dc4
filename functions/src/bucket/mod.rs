//! The bucket that a URL names, with its wrappers.

mod behind;
mod codec;
mod location;
mod place;
mod reported;
mod schemes;
mod table;
#[cfg(test)]
mod tests;
mod wrapped;

pub(crate) use behind::{Behind, Names};
pub(crate) use codec::{KeyringFileError, codec};
pub(crate) use location::{Location, LocationError};
pub(crate) use place::{OpenError, OpenOptions, Opened};
pub(crate) use reported::Reported;
pub(crate) use table::examples;
pub(crate) use wrapped::Wrapped;
