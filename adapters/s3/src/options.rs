//! The options of a bucket and its connection.

use std::time::Duration;

/// How to open a bucket. Credentials are never part of the options: the SDK's chain finds them
/// (environment, profile, container, instance).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The bucket's name.
    pub bucket: String,
    /// The prefix of all keys: empty, or components that each end in `/`.
    pub prefix: String,
    /// The server, as an `http://` or `https://` URL; `None`: AWS in the region.
    pub endpoint: Option<String>,
    /// The region; `None`: the one of the SDK's chain.
    pub region: Option<String>,
    /// Whether the bucket is named in the path instead of the host name. Default: only with an
    /// endpoint, since few servers other than AWS have a host name for each bucket.
    pub path_style: Option<bool>,
    /// The timeout for opening a connection. Default: 3 s.
    pub connect_timeout: Duration,
    /// The timeout of a request, connection and body included. Default: 15 s. A write that times
    /// out is `Unknown`, and costs its writer a read.
    pub request_timeout: Duration,
}

impl Options {
    /// The bucket `name` on AWS, in the region of the SDK's chain, without a prefix.
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

    /// Whether it is a directory bucket of S3 Express One Zone: the names of these have a common
    /// suffix.
    #[must_use]
    pub fn is_express(&self) -> bool {
        self.bucket.ends_with("--x-s3")
    }
}
