//! One file for each kind of store that a URL can name.

#[cfg(feature = "object-store")]
pub(super) mod cloud;
pub(super) mod memory;
#[cfg(feature = "s3")]
pub(super) mod s3;
pub(super) mod sqlite;
