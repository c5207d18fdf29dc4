//! `sqlite:FILE`.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use millpond_host::SystemClock;
use millpond_sqlite::{Durability, Options, SqliteBucket};
use url::Url;

use super::super::Behind;
use super::super::place::{OpenError, OpenOptions, Opened, Place};

/// In one SQLite file.
#[derive(Debug)]
struct File(PathBuf);

/// The path is used as written: `%20` and `#` are part of a name. Other tools spell `sqlite:/abs` as
/// `sqlite:///abs`.
pub(in super::super) fn parse(text: &str, url: &Url) -> Result<Arc<dyn Place>, String> {
    let refuse = |why: &str| Err(why.to_owned());
    if url.host_str().is_some_and(|host| !host.is_empty()) {
        return refuse("it names a host, but only a file of this machine can be opened");
    }
    let path = text.split_once(':').map_or("", |(_, path)| path);
    let path = path.strip_prefix("//").unwrap_or(path);
    if path.is_empty() {
        return refuse("it names no file");
    }
    // The shell does not expand it after a scheme, and a folder of that name is never intended.
    if path.starts_with('~') {
        return refuse(
            "the shell does not expand `~` here; write the whole path, or $HOME (`./~` for a name)",
        );
    }
    // SQLite's own forms would become names of files that the operator does not expect.
    if path.starts_with(':') || path.starts_with("file:") || path.contains('?') {
        return refuse("only a path may follow the scheme, without `?options` or a second scheme");
    }
    Ok(Arc::new(File(path.into())))
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sqlite:{}", self.0.display())
    }
}

#[async_trait]
impl Place for File {
    async fn open(&self, options: OpenOptions) -> Result<Opened, OpenError> {
        let options = Options {
            durability: match options.fsync {
                true => Durability::Fsync,
                false => Durability::Relaxed,
            },
            create: options.create,
            check: options.check,
        };
        Ok(Opened {
            bucket: Arc::new(SqliteBucket::open(&self.0, options).map_err(OpenError::new)?),
            clock: Arc::new(SystemClock::new()),
            behind: Behind::Nothing,
        })
    }

    #[cfg(unix)]
    fn bells(&self) -> Option<PathBuf> {
        Some(millpond_wakeups::beside(&self.0, "-bells"))
    }
}
