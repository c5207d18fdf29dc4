//! `gs://bucket/prefix` and `az://account/container/prefix`.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use millpond::ports::Clock;
use millpond_host::SystemClock;
use url::Url;

use super::super::Behind;
use super::super::place::{OpenError, OpenOptions, Opened, Place};

/// On Google Cloud Storage, or on Azure.
#[derive(Debug)]
struct Cloud(millpond_object_store::Place);

pub(in super::super) fn parse(text: &str, _: &Url) -> Result<Arc<dyn Place>, String> {
    match text.parse::<millpond_object_store::Place>() {
        Ok(place) => Ok(Arc::new(Cloud(place))),
        Err(error) => Err(error.why.to_owned()),
    }
}

impl fmt::Display for Cloud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[async_trait]
impl Place for Cloud {
    async fn open(&self, _: OpenOptions) -> Result<Opened, OpenError> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let bucket = self.0.open(Arc::clone(&clock)).map_err(OpenError::new)?;
        Ok(Opened {
            bucket: Arc::new(bucket),
            clock,
            behind: Behind::Nothing,
        })
    }
}
