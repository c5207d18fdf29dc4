//! From a URL to a bucket.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use url::Url;

use super::place::{OpenError, OpenOptions, Opened, Place};
use super::table::{SCHEMES, Scheme, Shared, examples};

/// Where a bucket is.
#[derive(Debug, Clone)]
pub(crate) struct Location {
    scheme: &'static Scheme,
    place: Arc<dyn Place>,
}

/// A URL that names no bucket.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid bucket URL: {why}; expected {}: url={url:?}", examples())]
pub(crate) struct LocationError {
    url: String,
    why: String,
}

impl FromStr for Location {
    type Err = LocationError;

    fn from_str(text: &str) -> Result<Self, LocationError> {
        let refuse = |why: String| LocationError {
            url: text.to_owned(),
            why,
        };
        let url = Url::parse(text).map_err(|error| match error {
            url::ParseError::RelativeUrlWithoutBase => refuse("it has no scheme".to_owned()),
            // A URL that cannot be parsed may contain a secret anywhere.
            error => LocationError {
                url: "...".to_owned(),
                why: format!("it is not a URL ({error})"),
            },
        })?;
        let name = url.scheme();
        if name == "file" {
            return Err(refuse(
                "a folder cannot be a bucket; use a SQLite file such as `sqlite:./pond.db` \
                 (`bucket export DIR` writes its objects as plain files)"
                    .to_owned(),
            ));
        }
        let scheme = SCHEMES.iter().find(|scheme| scheme.name == name);
        let scheme = scheme.ok_or_else(|| refuse("the scheme is unknown".to_owned()))?;
        let parse = scheme
            .parse
            .map_err(|feature| refuse(format!("this build lacks the feature `{feature}`")))?;
        match parse(text, &url) {
            Ok(place) => Ok(Self { scheme, place }),
            // The rest may contain secrets.
            Err(why) if scheme.shared == Shared::Network => Err(LocationError {
                url: format!("{name}:..."),
                why,
            }),
            Err(why) => Err(refuse(why)),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place.fmt(f)
    }
}

impl Location {
    /// Whether requests go over a network, to a store that may throttle and that bills.
    pub(crate) fn is_far(&self) -> bool {
        self.scheme.shared == Shared::Network
    }

    /// Whether no other process can reach the bucket.
    pub(crate) fn is_private(&self) -> bool {
        self.scheme.shared == Shared::Nowhere
    }

    /// The bucket and the prefix, as events of S3 name them; `None` for any other place.
    pub(crate) fn root(&self) -> Option<(&str, &str)> {
        self.place.root()
    }

    /// The folder of the doorbells of the processes that share the bucket on this machine.
    pub(crate) fn bells(&self) -> Option<PathBuf> {
        self.place.bells()
    }

    /// Opens the bucket.
    ///
    /// # Errors
    /// [`OpenError`] names the place and what is wrong with it.
    pub(crate) async fn open(&self, options: OpenOptions) -> Result<Opened, OpenError> {
        self.place.open(options).await
    }
}
