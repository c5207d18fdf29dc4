//! What rules are checked against: the bucket, the secrets.

use super::super::error::Error;
use super::super::invocation::Invocation;
use super::super::streams::Streams;
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
        let location = invocation.location()?;
        let root = location.as_ref().and_then(|location| location.root());
        Ok(Self {
            own: root.map(|(bucket, prefix)| Own::new(bucket, prefix)),
            secrets: invocation.environment.webhook_secrets.as_ref(),
            streams: invocation.streams,
        })
    }
}
