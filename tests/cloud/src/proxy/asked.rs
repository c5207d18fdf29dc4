//! A request that went through a proxy.

use std::time::{Duration, SystemTime};

use crate::policy::Access;

/// One request.
#[derive(Debug, Clone)]
pub struct Asked {
    /// When it came.
    pub at: SystemTime,
    /// What the server took to answer it; zero if it was refused here.
    pub took: Duration,
    /// What it asks for; empty if nobody knows what.
    pub accesses: Vec<Access>,
    /// The status of its answer.
    pub status: u16,
    /// Why it was refused by the policies, if it was.
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
