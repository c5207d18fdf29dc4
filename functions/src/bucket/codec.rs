//! How objects are coded.

use std::error::Error;
use std::path::{Path, PathBuf};

use millpond_codec::{Codec, Keyring};
use zeroize::Zeroizing;

/// The level of zstd that compresses heads about as fast as they are made.
const LEVEL: i32 = 3;

/// A keyring that was not read.
#[derive(Debug, thiserror::Error)]
#[error("the keyring cannot be used: path={}", .path.display())]
pub(crate) struct KeyringFileError {
    path: PathBuf,
    source: Box<dyn Error + Send + Sync>,
}

/// What `--compress` and `--keyring` ask for. What is compressed is read without being asked.
///
/// # Errors
/// The file cannot be read, or is no keyring.
pub(crate) fn codec(compress: bool, keyring: Option<&Path>) -> Result<Codec, KeyringFileError> {
    let mut codec = Codec::new();
    if compress {
        codec = codec.zstd(LEVEL);
    }
    if let Some(path) = keyring {
        codec = codec.encrypted(read(path).map_err(|source| KeyringFileError {
            path: path.to_owned(),
            source,
        })?);
    }
    Ok(codec)
}

fn read(path: &Path) -> Result<Keyring, Box<dyn Error + Send + Sync>> {
    let text = Zeroizing::new(std::fs::read_to_string(path)?);
    Ok(Keyring::parse(&text)?)
}
