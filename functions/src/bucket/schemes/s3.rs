//! `s3://bucket/prefix`.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use millpond_host::StoreClock;
use millpond_s3::{Options, S3Bucket};
use url::Url;

use super::super::Behind;
use super::super::place::{OpenError, OpenOptions, Opened, Place};

/// On AWS, or on another store with the S3 API.
#[derive(Debug)]
struct S3(Options);

pub(in super::super) fn parse(text: &str, _: &Url) -> Result<Arc<dyn Place>, String> {
    match text.parse() {
        Ok(options) => Ok(Arc::new(S3(options))),
        Err(error) => Err(millpond_s3::UrlError::to_string(&error)),
    }
}

impl fmt::Display for S3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[async_trait]
impl Place for S3 {
    async fn open(&self, _: OpenOptions) -> Result<Opened, OpenError> {
        let bucket = S3Bucket::open(&self.0).await.map_err(OpenError::new)?;
        let bucket = Arc::new(bucket);
        Ok(Opened {
            // Machines that share a bucket use its clock.
            clock: Arc::new(StoreClock::new(Arc::clone(bucket.time()))),
            behind: Behind::S3(Arc::clone(&bucket)),
            bucket,
        })
    }

    fn root(&self) -> Option<(&str, &str)> {
        Some((&self.0.bucket, &self.0.prefix))
    }
}
