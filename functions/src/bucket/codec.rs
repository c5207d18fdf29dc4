//! The codec of objects.

use std::error::Error;
use std::path::{Path, PathBuf};

use millpond_codec::{Codec, Keyring};
use zeroize::Zeroizing;

/// The zstd level at which compressing heads is about as fast as encoding them.
const LEVEL: i32 = 3;

/// A keyring that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the keyring: path={}", .path.display())]
pub(crate) struct KeyringFileError {
    path: PathBuf,
    source: Box<dyn Error + Send + Sync>,
}

/// The codec for `--compress` and `--keyring`. Reading compressed objects needs no option.
///
/// # Errors
/// The file cannot be read, or is not a keyring.
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
