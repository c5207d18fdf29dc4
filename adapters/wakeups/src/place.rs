//! Where the sockets are.

use std::path::{Path, PathBuf};

use millpond::domain::Digest;

/// Longest folder: what the name of a socket may have in all (about 104 bytes), less the
/// longest name in it.
const LONGEST: usize = 104 - NAME - 1;

/// Longest name of a socket: process, random part, ending.
pub(crate) const NAME: usize = 10 + 1 + 8 + 5;

/// The folder for the bells of the bucket in the file `bucket`: `name` behind its path, where that is
/// short enough for a socket, else one in the system's temporary folder, named by a digest of it.
/// All processes of one user find the same.
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
