//! A request that went through a proxy.

use std::time::{Duration, SystemTime};

use crate::policy::Access;

/// One request.
#[derive(Debug, Clone)]
pub struct Asked {
    /// When it arrived.
    pub at: SystemTime,
    /// The server's response time; zero if the proxy refused it.
    pub took: Duration,
    /// Its accesses; empty if the request is unknown.
    pub accesses: Vec<Access>,
    /// The status of the response.
    pub status: u16,
    /// The reason for the refusal by the policies, if there was one.
    pub refused: Option<String>,
}

impl Asked {
    /// The action of its first access.
    #[must_use]
    pub fn action(&self) -> &str {
        self.accesses.first().map_or("", |access| &access.action)
    }

    /// The resource of its first access.
    #[must_use]
    pub fn resource(&self) -> &str {
        self.accesses.first().map_or("", |access| &access.resource)
    }
}
