//! From a URL to a bucket.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use millpond::doors::{Bucket, Clock};
use millpond::testing::MemoryBucket;
use millpond_disk::{DiskBucket, Durability, Options};

/// Where a bucket is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Location {
    /// In this process; gone with it.
    Memory,
    /// In a folder.
    Folder(PathBuf),
}

/// A URL that names no bucket.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no bucket can be opened by {url:?}: {why}; known are `file:./folder`, `file:/folder` and `memory:`"
)]
pub(crate) struct LocationError {
    url: String,
    why: &'static str,
}

/// A bucket that was not opened.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct OpenError(#[from] millpond_disk::OpenError);

impl FromStr for Location {
    type Err = LocationError;

    fn from_str(url: &str) -> Result<Self, LocationError> {
        let refuse = |why| {
            Err(LocationError {
                url: url.to_owned(),
                why,
            })
        };
        let Some((scheme, rest)) = url.split_once(':') else {
            return refuse("it has no scheme");
        };
        match scheme {
            "memory" if rest.is_empty() => Ok(Self::Memory),
            "memory" => refuse("nothing may follow `memory:`"),
            "file" => {
                // `file:///abs` is how other tools spell `file:/abs`.
                let path = match rest.strip_prefix("//") {
                    Some(path) if path.starts_with('/') => path,
                    Some(_) => return refuse("a folder on another host cannot be opened"),
                    None => rest,
                };
                if path.is_empty() {
                    return refuse("it names no folder");
                }
                Ok(Self::Folder(path.into()))
            }
            "s3" | "gs" | "az" => refuse("this build has no adapter for that scheme"),
            _ => refuse("the scheme is not known"),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory:"),
            Self::Folder(path) => write!(f, "file:{}", path.display()),
        }
    }
}

impl Location {
    /// Opens the bucket; `create` makes a folder on first use.
    ///
    /// # Errors
    /// [`OpenError`] names the folder and what is wrong with it.
    pub(crate) fn open(
        &self,
        clock: Arc<dyn Clock>,
        fsync: bool,
        create: bool,
    ) -> Result<Arc<dyn Bucket>, OpenError> {
        let durability = if fsync {
            Durability::Fsync
        } else {
            Durability::Relaxed
        };
        Ok(match self {
            Self::Memory => Arc::new(MemoryBucket::new(clock)),
            Self::Folder(path) => Arc::new(DiskBucket::open(path, Options { durability, create })?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_folders_as_people_write_them() {
        let folder = |url: &str| match url.parse() {
            Ok(Location::Folder(path)) => path,
            other => panic!("{url}: {other:?}"),
        };
        assert_eq!(folder("file:./pond"), PathBuf::from("./pond"));
        assert_eq!(folder("file:/srv/pond"), PathBuf::from("/srv/pond"));
        assert_eq!(folder("file:///srv/pond"), PathBuf::from("/srv/pond"));
        assert_eq!("memory:".parse(), Ok(Location::Memory));
    }

    #[test]
    fn a_url_that_names_no_bucket_is_told_what_would() {
        for url in [
            "pond",
            "file:",
            "file://host/pond",
            "memory:x",
            "s3://b/p",
            "ftp://x",
            "",
        ] {
            let error = url.parse::<Location>().expect_err(url).to_string();
            assert!(error.contains("file:./folder"), "{error}");
            assert!(error.contains("memory:"), "{error}");
        }
    }
}
