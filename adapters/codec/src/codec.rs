//! Encodes and decodes one body. No I/O; the caller passes the randomness.

use std::io::Read as _;

use aes_gcm::aead::{Aead as _, Payload};
use bytes::Bytes;
use millpond::keys::Key;

use crate::keyring::Keyring;
use crate::pond::PondId;

const MAGIC: &[u8; 4] = b"\0MP1";
const ZSTD: u8 = 1;
const AES: u8 = 2;

/// Size of a nonce, in bytes.
pub(crate) const NONCE: usize = 12;

/// A smaller body is not compressed: it would hardly shrink.
const SMALL: usize = 256;

/// No object of the engine is larger than 64 MiB after decompression. A writer of the bucket must
/// not be able to exhaust the memory of its readers.
const LARGEST: u64 = 64 << 20;

/// How bodies are encoded. The default changes nothing on writing, and reads compressed bodies.
#[derive(Debug, Clone, Default)]
pub struct Codec {
    level: Option<i32>,
    keyring: Option<Keyring>,
}

/// Why a body was not decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Undecoded {
    #[error("it is encrypted, and there is no keyring")]
    NoKeyring,
    #[error("it is encrypted with a key that is not in the keyring: id={id}")]
    NoKey { id: String },
    #[error("it is not encrypted, and the keyring has no line `plain`")]
    Plain,
    #[error(
        "it is encrypted, and the bucket has no object `pond`: it was lost; restore it: doctor --pond ID"
    )]
    NoPond,
    #[error("it was changed, or belongs to another key or pond")]
    Forged,
    #[error("it is cut off, or was made by a newer build")]
    Malformed,
    #[error("it cannot be decompressed")]
    Incompressible,
}

/// A body larger than readers decompress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the object is too large to be read again: bytes={bytes}, max={LARGEST}")]
pub(crate) struct TooLarge {
    pub(crate) bytes: usize,
}

impl Undecoded {
    /// Whether the cause is this reader's keyring, or the pond: the object may be intact.
    pub(crate) const fn is_ours(&self) -> bool {
        matches!(
            self,
            Self::NoKeyring | Self::NoKey { .. } | Self::NoPond | Self::Plain
        )
    }
}

impl Codec {
    /// Changes nothing on writing, and reads compressed bodies.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Compresses bodies of 256 bytes and more if that makes them smaller, at a level of zstd (1 to
    /// 22; the default of zstd is 3, about 300 MB/s).
    #[must_use]
    pub fn zstd(mut self, level: i32) -> Self {
        self.level = Some(level);
        self
    }

    /// Encrypts every body with the keyring's active key.
    #[must_use]
    pub fn encrypted(mut self, keyring: Keyring) -> Self {
        self.keyring = Some(keyring);
        self
    }

    /// Whether written bodies stay unchanged.
    pub(crate) const fn is_idle(&self) -> bool {
        self.level.is_none() && self.keyring.is_none()
    }

    /// Whether bodies are encrypted.
    #[must_use]
    pub const fn is_encrypted(&self) -> bool {
        self.keyring.is_some()
    }

    /// Encodes a body for storage under `key` in this pond, which encryption needs. `nonce` must be random and must never repeat.
    ///
    /// # Errors
    /// [`TooLarge`]: no reader would decompress the body.
    pub(crate) fn encode(
        &self,
        key: &Key,
        pond: Option<PondId>,
        body: Bytes,
        nonce: [u8; NONCE],
    ) -> Result<Bytes, TooLarge> {
        if body.len() as u64 > LARGEST {
            return Err(TooLarge { bytes: body.len() });
        }
        let small = self.compress(&body);
        let (mut method, body) = match small {
            Some(small) => (ZSTD, small.into()),
            None => (0, body),
        };
        let Some(keyring) = &self.keyring else {
            if method == 0 && !body.starts_with(MAGIC) {
                return Ok(body);
            }
            return Ok([MAGIC.as_slice(), &[method], &body].concat().into());
        };
        let pond = pond.expect("the caller reads the pond before it encrypts");
        method |= AES;
        let id = keyring.active();
        let length = u8::try_from(id.len()).expect("a keyring has short ids");
        let header = [MAGIC.as_slice(), &[method, length], id.as_bytes()].concat();
        let cipher = keyring.find(id).expect("the active key is in the ring");
        let sealed = cipher
            .encrypt(
                &nonce.into(),
                Payload {
                    msg: &body,
                    aad: &bound(key, pond, &header),
                },
            )
            .expect("a body is far below the bound of AES-GCM, 64 GiB");
        Ok([header.as_slice(), &nonce, &sealed].concat().into())
    }

    /// Decodes the body stored under `key` in this pond.
    pub(crate) fn decode(
        &self,
        key: &Key,
        pond: Option<PondId>,
        stored: &Bytes,
    ) -> Result<Bytes, Undecoded> {
        let closed = self
            .keyring
            .as_ref()
            .is_some_and(|ring| !ring.reads_plain());
        let Some(rest) = stored.strip_prefix(MAGIC.as_slice()) else {
            return if closed {
                Err(Undecoded::Plain)
            } else {
                Ok(stored.clone())
            };
        };
        let (&method, rest) = rest.split_first().ok_or(Undecoded::Malformed)?;
        if method & !(ZSTD | AES) != 0 {
            return Err(Undecoded::Malformed);
        }
        let body = match method & AES {
            0 if closed => return Err(Undecoded::Plain),
            0 => Bytes::copy_from_slice(rest),
            _ => self.open(key, pond, stored, rest)?,
        };
        if method & ZSTD == 0 {
            return Ok(body);
        }
        let mut out = Vec::new();
        let read = zstd::stream::read::Decoder::with_buffer(&*body)
            .and_then(|decoder| decoder.take(LARGEST + 1).read_to_end(&mut out));
        match read {
            Ok(length) if length as u64 <= LARGEST => Ok(out.into()),
            _ => Err(Undecoded::Incompressible),
        }
    }

    /// Whether a stored body is encrypted.
    pub(crate) fn has_encrypted(stored: &[u8]) -> bool {
        let method = stored.strip_prefix(MAGIC.as_slice());
        let method = method.and_then(<[u8]>::first);
        method.is_some_and(|method| method & AES != 0)
    }

    fn compress(&self, body: &[u8]) -> Option<Vec<u8>> {
        let level = self.level?;
        if body.len() < SMALL {
            return None;
        }
        let small = zstd::bulk::compress(body, level).ok()?;
        (small.len() < body.len()).then_some(small)
    }

    /// C1. Decrypts the bytes after the magic and the method.
    fn open(
        &self,
        key: &Key,
        pond: Option<PondId>,
        stored: &Bytes,
        rest: &[u8],
    ) -> Result<Bytes, Undecoded> {
        let (&length, rest) = rest.split_first().ok_or(Undecoded::Malformed)?;
        let (id, rest) = rest
            .split_at_checked(length.into())
            .ok_or(Undecoded::Malformed)?;
        let (nonce, sealed) = rest
            .split_first_chunk::<NONCE>()
            .ok_or(Undecoded::Malformed)?;
        let id = std::str::from_utf8(id).map_err(|_| Undecoded::Malformed)?;
        let ring = self.keyring.as_ref().ok_or(Undecoded::NoKeyring)?;
        let cipher = ring
            .find(id)
            .ok_or_else(|| Undecoded::NoKey { id: id.to_owned() })?;
        let pond = pond.ok_or(Undecoded::NoPond)?;
        let header = stored.len() - rest.len();
        let aad = bound(key, pond, stored.get(..header).unwrap_or_default());
        let payload = Payload {
            msg: sealed,
            aad: &aad,
        };
        let body = cipher.decrypt(&(*nonce).into(), payload);
        body.map(Bytes::from).map_err(|_| Undecoded::Forged)
    }
}

/// The data authenticated with a body: its header, its pond and its key.
fn bound(key: &Key, pond: PondId, header: &[u8]) -> Vec<u8> {
    [header, &pond.bytes(), key.as_str().as_bytes()].concat()
}
