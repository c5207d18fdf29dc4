//! What can be said about a bucket and the way to it.

use std::time::Duration;

/// How to open a bucket. Credentials are never part of it: the SDK's chain finds them
/// (environment, profile, container, instance).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The bucket's name.
    pub bucket: String,
    /// What all keys begin with: empty, or components that each end in `/`.
    pub prefix: String,
    /// The server, as `http://` or `https://` URL; `None`: AWS in the region.
    pub endpoint: Option<String>,
    /// The region; `None`: what the SDK's chain says.
    pub region: Option<String>,
    /// Whether the bucket is named in the path instead of the host name. Default: where an
    /// endpoint is given, since few servers but AWS have a host name for each bucket.
    pub path_style: Option<bool>,
    /// How long a connection may take. Default: 3 s.
    pub connect_timeout: Duration,
    /// How long a request may take, connection and body included. Default: 15 s. A write that
    /// is given up is `Unknown`, and costs its writer a read.
    pub request_timeout: Duration,
}

impl Options {
    /// The bucket `name` on AWS, in the region that the SDK's chain says, without a prefix.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            bucket: name.into(),
            prefix: String::new(),
            endpoint: None,
            region: None,
            path_style: None,
            connect_timeout: Duration::from_secs(3),
            request_timeout: Duration::from_secs(15),
        }
    }

    /// Whether it is a directory bucket of S3 Express One Zone: such names end alike.
    #[must_use]
    pub fn is_express(&self) -> bool {
        self.bucket.ends_with("--x-s3")
    }
}
