//! `memory:`.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use millpond::ports::{Clock, MemoryBucket};
use millpond_host::SystemClock;
use url::Url;

use super::super::Behind;
use super::super::place::{OpenError, OpenOptions, Opened, Place};

/// In this process, and lost when it ends.
#[derive(Debug)]
struct Memory;

pub(in super::super) fn parse(url: &str, _: &Url) -> Result<Arc<dyn Place>, String> {
    match url {
        "memory:" => Ok(Arc::new(Memory)),
        _ => Err("nothing may follow `memory:`".to_owned()),
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("memory:")
    }
}

#[async_trait]
impl Place for Memory {
    async fn open(&self, _: OpenOptions) -> Result<Opened, OpenError> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        Ok(Opened {
            bucket: Arc::new(MemoryBucket::new(Arc::clone(&clock))),
            clock,
            behind: Behind::Nothing,
        })
    }
}
