//! Compression and encryption of objects before they leave the process.
//!
//! [`Coded`] wraps a bucket and encodes every body: heads with their values, mail, segments, blobs.
//! Keys, sizes and times stay readable, because the store needs them.
//!
//! The header of an encoded body specifies its encoding, so each object can be read independently
//! of the codec that the reader writes with:
//!
//! | bytes | meaning |
//! |---|---|
//! | 4 | `\0MP1`: no JSON begins with a zero byte |
//! | 1 | bit 0: zstd; bit 1: AES-256-GCM |
//! | 1 + n | encrypted: the length of the key's id, and the id |
//! | 12 | encrypted: the nonce |
//! | rest | the body: compressed, then encrypted with its tag of 16 bytes at the end |
//!
//! - **C1** The pond's id, the object's key and the bytes before the nonce are authenticated with the
//!   body: an object moved to another bucket or key, or with a changed header, is not read
//!   ([`Pond`]).
//! - **C2** With a keyring, nothing is written unencrypted, and an unencrypted object is not read
//!   unless the keyring permits it (for a bucket that is being migrated to encryption).
//! - **C3** A body that cannot be decoded is passed on unchanged. It is never JSON, so the engine
//!   reports the object as corrupt, by its key, and parks the execution. A key that is missing from
//!   the keyring, and an unencrypted object that the keyring does not permit, are errors
//!   ([`Denied`](millpond::ports::Fault::Denied)): the object may be intact.
//!
//! Nonces are random: at most 2^32 objects may be written with one key (NIST SP 800-38D), so the
//! active key must be rotated before that. The codec does not detect the replay of an old version
//! of an object by a writer of the bucket.

mod bucket;
mod codec;
mod keyring;
mod pond;
#[cfg(test)]
mod tests;

pub use bucket::Coded;
pub use codec::Codec;
pub use keyring::{Keyring, KeyringError};
pub use pond::{InvalidPondId, Pond, PondId};
