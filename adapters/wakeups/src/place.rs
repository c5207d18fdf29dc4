//! The location of the sockets.

use std::path::{Path, PathBuf};

use millpond::domain::Digest;

/// Maximum length of the folder: the maximum path length of a socket (about 104 bytes), less the
/// longest name in the folder.
const LONGEST: usize = 104 - NAME - 1;

/// Maximum length of a socket's name: process, random part, ending.
pub(crate) const NAME: usize = 10 + 1 + 8 + 5;

/// The folder for the doorbells of the bucket in the file `bucket`: `name` appended to its path if
/// that is short enough for a socket, otherwise a folder in the system's temporary folder, named by
/// a digest of it. All processes of one user derive the same folder.
#[must_use]
pub fn beside(bucket: &Path, name: &str) -> PathBuf {
    let whole = std::path::absolute(bucket).unwrap_or_else(|_| bucket.to_owned());
    let mut near = whole.clone().into_os_string();
    near.push(name);
    if near.len() <= LONGEST {
        return near.into();
    }
    let digest = Digest::of(whole.as_os_str().as_encoded_bytes());
    let short = digest.as_str().get(..16).unwrap_or_default();
    std::env::temp_dir().join(format!("millpond-{short}"))
}
