//! One call of the binary, before a bucket is open.

use millpond::client::App;

use super::cost_meter::CostMeter;
use super::error::Error;
use super::globals::Globals;
use super::streams::Streams;
use crate::bucket::Location;
use crate::environment::Environment;

/// The application, what it was called with, and where its output goes.
pub(crate) struct Invocation<'a> {
    pub(crate) app: App,
    pub(crate) globals: &'a Globals,
    pub(crate) environment: &'a Environment,
    pub(crate) streams: &'a Streams,
    pub(crate) meter: &'a CostMeter,
}

impl Invocation<'_> {
    /// The bucket that the command line or the environment names.
    ///
    /// # Errors
    /// The URL names no bucket.
    pub(crate) fn location(&self) -> Result<Option<Location>, Error> {
        let url = self.globals.bucket.as_deref();
        let url = url.or(self.environment.bucket.as_deref());
        Ok(url.map(str::parse).transpose()?)
    }
}
