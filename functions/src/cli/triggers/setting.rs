//! What rules are checked against: the bucket, the secrets.

use super::super::error::Error;
use super::super::invocation::Invocation;
use super::super::streams::Streams;
use crate::bucket::Location;
use crate::triggers::{Own, Secrets};

/// What rules are checked against.
pub(super) struct Setting<'a> {
    /// Where the engine's state is, if that is in S3.
    pub(super) own: Option<Own>,
    /// The secrets of webhooks, if they are given.
    pub(super) secrets: Option<&'a Secrets>,
    pub(super) streams: &'a Streams,
}

impl<'a> Setting<'a> {
    /// Opens nothing.
    ///
    /// # Errors
    /// The URL names no bucket.
    pub(super) fn new(invocation: &Invocation<'a>) -> Result<Self, Error> {
        Ok(Self {
            own: invocation.location()?.as_ref().and_then(own),
            secrets: invocation.environment.webhook_secrets.as_ref(),
            streams: invocation.streams,
        })
    }
}

#[cfg(feature = "s3")]
fn own(location: &Location) -> Option<Own> {
    match location {
        Location::S3(options) => Some(Own::new(&options.bucket, &options.prefix)),
        _ => None,
    }
}

#[cfg(not(feature = "s3"))]
fn own(_: &Location) -> Option<Own> {
    None
}
