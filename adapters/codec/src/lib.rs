//! Objects that are compressed and encrypted before they leave the process.
//!
//! [`Coded`] stands around a bucket and codes every body: heads, with the values in them, mail,
//! segments, blobs. What stays in the open is what the store must see: keys, sizes, times.
//!
//! A coded body says how it was made, so each object is read for itself, whatever the codec of
//! who reads it writes:
//!
//! | bytes | meaning |
//! |---|---|
//! | 4 | `\0MP1`: no JSON begins with a zero byte |
//! | 1 | bit 0: zstd; bit 1: AES-256-GCM |
//! | 1 + n | encrypted: the length of the key's id, and the id |
//! | 12 | encrypted: the nonce |
//! | rest | the body: compressed, then encrypted with its tag of 16 bytes at the end |
//!
//! - **C1** The object's key and the bytes before the nonce are authenticated with the body: an
//!   object under another key, or with another header, is not read.
//! - **C2** With a keyring nothing is written in the open, and what is in the open is not read,
//!   unless the keyring says so (for a bucket on its way to encryption).
//! - **C3** What cannot be decoded is given as it is: never JSON, so the engine says that the object
//!   is corrupt, by its key, and parks the execution. A key that is not in the ring, and an object in the open that the ring does
//!   not allow, are errors ([`Denied`](millpond::ports::Fault::Denied)): the object may be whole.
//!
//! Nonces are random: with one key at most 2^32 objects may be written (NIST SP 800-38D), so the
//! active key is to be changed before. Old versions of an object, put back by who may write to
//! the bucket, are not noticed.

mod bucket;
mod codec;
mod keyring;
#[cfg(test)]
mod tests;

pub use bucket::Coded;
pub use codec::Codec;
pub use keyring::{Keyring, KeyringError};
