//! From a URL to a bucket.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use millpond::ports::MemoryBucket;
use millpond::ports::{Bucket, Clock};
#[cfg(feature = "s3")]
use millpond_host::StoreClock;
use millpond_host::SystemClock;
use millpond_sqlite::{Durability, Options, SqliteBucket};
#[cfg(unix)]
use millpond_wakeups::beside;

use super::Behind;

/// Where a bucket is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Location {
    /// In this process; gone with it.
    Memory,
    /// In one file.
    File(PathBuf),
    /// Behind S3's protocol.
    #[cfg(feature = "s3")]
    S3(Box<millpond_s3::Options>),
    /// Google Cloud Storage, or Azure.
    #[cfg(feature = "object-store")]
    Cloud(millpond_object_store::Place),
}

/// A URL that names no bucket.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no bucket can be opened by {url:?}: {why}; known are `sqlite:./file.db`, `s3://bucket/prefix` \
     and `memory:`"
)]
pub(crate) struct LocationError {
    url: String,
    why: String,
}

/// A bucket that was not opened.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) enum OpenError {
    File(#[from] millpond_sqlite::OpenError),
    #[cfg(feature = "s3")]
    S3(#[from] millpond_s3::OpenError),
    #[cfg(feature = "object-store")]
    Cloud(#[from] millpond_object_store::OpenError),
}

/// A bucket, and the clock to go by.
pub(crate) struct Opened {
    pub(crate) bucket: Arc<dyn Bucket>,
    pub(crate) clock: Arc<dyn Clock>,
    /// What can be asked of the store beside the port.
    pub(crate) behind: Behind,
}

impl FromStr for Location {
    type Err = LocationError;

    fn from_str(url: &str) -> Result<Self, LocationError> {
        let refuse = |why: &str| {
            Err(LocationError {
                url: url.to_owned(),
                why: why.to_owned(),
            })
        };
        let Some((scheme, rest)) = url.split_once(':') else {
            return refuse("it has no scheme");
        };
        match scheme {
            "memory" if rest.is_empty() => Ok(Self::Memory),
            "memory" => refuse("nothing may follow `memory:`"),
            "file" => refuse(
                "a folder is no bucket; use `sqlite:FILE` (`bucket export DIR` writes its objects as files)",
            ),
            "sqlite" => local(rest).map(Self::File).or_else(refuse),
            #[cfg(feature = "s3")]
            "s3" => match url.parse() {
                Ok(options) => Ok(Self::S3(Box::new(options))),
                // The rest may hold what nobody should see.
                Err(error) => Err(LocationError {
                    url: "s3:...".to_owned(),
                    why: millpond_s3::UrlError::to_string(&error),
                }),
            },
            #[cfg(not(feature = "s3"))]
            "s3" => refuse("this build was made without the feature `s3`"),
            #[cfg(feature = "object-store")]
            "gs" | "az" => match url.parse::<millpond_object_store::Place>() {
                Ok(place) => Ok(Self::Cloud(place)),
                Err(error) => refuse(error.why),
            },
            #[cfg(not(feature = "object-store"))]
            "gs" | "az" => refuse("this build was made without the feature `object-store`"),
            _ => refuse("the scheme is not known"),
        }
    }
}

/// The path of `sqlite:`. `sqlite:///abs` is how other tools spell `sqlite:/abs`.
fn local(rest: &str) -> Result<PathBuf, &'static str> {
    let path = match rest.strip_prefix("//") {
        Some(path) if path.starts_with('/') => path,
        Some(_) => return Err("nothing on another host can be opened"),
        None => rest,
    };
    if path.is_empty() {
        return Err("it names no place");
    }
    // No shell expands it behind a scheme, and a folder of that name is nobody's wish.
    if path.starts_with('~') {
        return Err("`~` is the shell's: write the whole path, or $HOME (or ./~ for a name)");
    }
    // SQLite's own forms would become the names of files, where nobody looks for them.
    if path.starts_with(':') || path.starts_with("file:") || path.contains('?') {
        return Err("it is a path alone: no `?options`, and no second scheme");
    }
    Ok(path.into())
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory:"),
            Self::File(path) => write!(f, "sqlite:{}", path.display()),
            #[cfg(feature = "s3")]
            Self::S3(options) => write!(f, "{options}"),
            #[cfg(feature = "object-store")]
            Self::Cloud(place) => place.fmt(f),
        }
    }
}

impl Location {
    /// Whether requests go over a network, to a store that may throttle and that bills.
    pub(crate) const fn is_far(&self) -> bool {
        !matches!(self, Self::Memory | Self::File(_))
    }

    /// The bucket and the prefix, as events of S3 name them; `None` for any other place.
    #[cfg(feature = "lambda")]
    pub(crate) fn root(&self) -> Option<crate::roles::Root> {
        match self {
            Self::S3(options) => Some(crate::roles::Root {
                bucket: options.bucket.clone(),
                prefix: options.prefix.clone(),
            }),
            _ => None,
        }
    }

    /// The folder of the doorbells of those who share the bucket on this machine.
    #[cfg(unix)]
    pub(crate) fn bells(&self) -> Option<PathBuf> {
        match self {
            Self::File(path) => Some(beside(path, "-bells")),
            _ => None,
        }
    }

    /// Opens the bucket; `create` makes a file on first use, `check` reads it whole. Buckets of a
    /// store are made by people.
    ///
    /// # Errors
    /// [`OpenError`] names the place and what is wrong with it.
    pub(crate) async fn open(
        &self,
        fsync: bool,
        create: bool,
        check: bool,
    ) -> Result<Opened, OpenError> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let bucket: Arc<dyn Bucket> = match self {
            Self::Memory => Arc::new(MemoryBucket::new(Arc::clone(&clock))),
            Self::File(path) => {
                let durability = match fsync {
                    true => Durability::Fsync,
                    false => Durability::Relaxed,
                };
                let options = Options {
                    durability,
                    create,
                    check,
                };
                Arc::new(SqliteBucket::open(path, options)?)
            }
            #[cfg(feature = "s3")]
            Self::S3(options) => {
                let bucket = millpond_s3::S3Bucket::open(options).await?;
                // Machines that share a bucket go by its clock.
                let clock = Arc::new(StoreClock::new(Arc::clone(bucket.time())));
                let bucket = Arc::new(bucket);
                let behind = Behind::S3(Arc::clone(&bucket));
                return Ok(Opened {
                    bucket,
                    clock,
                    behind,
                });
            }
            #[cfg(feature = "object-store")]
            Self::Cloud(place) => Arc::new(place.open(Arc::clone(&clock))?),
        };
        Ok(Opened {
            bucket,
            clock,
            behind: Behind::Nothing,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_files_as_people_write_them() {
        let file = |path: &str| Location::File(PathBuf::from(path));
        assert_eq!("sqlite:./pond.db".parse(), Ok(file("./pond.db")));
        assert_eq!("sqlite:/srv/pond.db".parse(), Ok(file("/srv/pond.db")));
        assert_eq!("sqlite:///srv/pond.db".parse(), Ok(file("/srv/pond.db")));
        assert_eq!("memory:".parse(), Ok(Location::Memory));
        let file = file("./pond.db");
        assert_eq!(file.to_string(), "sqlite:./pond.db");
        assert!(!file.is_far());
    }

    #[test]
    fn a_url_that_names_no_bucket_is_told_what_would() {
        for url in [
            "pond",
            "file:./pond",
            "file:///srv/pond",
            "sqlite:",
            "sqlite://host/pond.db",
            "sqlite:~/pond.db",
            "sqlite::memory:",
            "sqlite:file:pond.db",
            "sqlite:./pond.db?mode=ro",
            "sqlite:~",
            "sqlite:~root/pond.db",
            "memory:x",
            "s3://b/p",
            "s3://pond?secret=x",
            "gs://pond",
            "ftp://x",
            "",
        ] {
            let error = url.parse::<Location>().expect_err(url).to_string();
            assert!(error.contains("sqlite:./file.db"), "{error}");
            assert!(error.contains("memory:"), "{error}");
        }
    }

    #[test]
    fn a_folder_is_refused_with_what_takes_its_place() {
        let error = "file:./pond".parse::<Location>().expect_err("no folders");
        let error = error.to_string();
        assert!(error.contains("use `sqlite:FILE`"), "{error}");
        assert!(error.contains("bucket export"), "{error}");
    }

    #[cfg(feature = "s3")]
    #[test]
    fn a_url_of_s3_is_said_as_it_was_and_no_secret_is_repeated() {
        let url = "s3://pond/team?endpoint=http://127.0.0.1:9000&region=x";
        let location: Location = url.parse().unwrap();
        assert_eq!(location.to_string(), url);
        let error = "s3://id:hush@pond/team".parse::<Location>().unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains("credentials") && !error.contains("hush"),
            "{error}"
        );
    }

    #[cfg(not(feature = "object-store"))]
    #[test]
    fn a_cloud_that_this_build_cannot_open_is_refused_with_the_features_name() {
        for url in ["gs://pond/prefix", "az://acme/pond"] {
            let error = url.parse::<Location>().expect_err(url).to_string();
            assert!(error.contains("`object-store`"), "{error}");
        }
    }

    #[cfg(feature = "object-store")]
    #[test]
    fn clouds_are_named_as_their_urls_and_are_far() {
        for url in ["gs://pond/prefix", "az://acme/pond"] {
            let location: Location = url.parse().expect(url);
            assert_eq!(location.to_string(), url);
            assert!(location.is_far());
        }
        let error = "az://acme".parse::<Location>().expect_err("no container");
        assert!(error.to_string().contains("no bucket"), "{error}");
    }
}
