//! A server, and fresh buckets on it.

use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use aws_sdk_s3::Client;
use aws_sdk_s3::config::{BehaviorVersion, Credentials, Region};

use crate::own::Own;

/// The access key that both servers accept.
const ID: &str = "test";
const SECRET: &str = "testtest";
const REGION: &str = "us-east-1";

/// A running server.
#[derive(Debug)]
pub struct Server {
    url: String,
    own: Option<Own>,
}

/// A bucket, and its access key.
#[derive(Debug, Clone)]
pub struct Place {
    /// `s3://bucket?endpoint=...&region=...`
    pub url: String,
    /// The bucket's name.
    pub bucket: String,
    /// The access key's id.
    pub id: &'static str,
    /// The access key's secret.
    pub secret: &'static str,
}

impl Server {
    /// LocalStack. It holds a lock per object, so its races are realistic; it accepts any
    /// signature, and loses its data when it stops.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn localstack() -> Self {
        Self::find("MILLPOND_TEST_LOCALSTACK", "localstack")
    }

    /// SeaweedFS. It checks signatures, and confirmed writes survive a SIGKILL.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn seaweed() -> Self {
        Self::find("MILLPOND_TEST_SEAWEED", "seaweed")
    }

    /// A SeaweedFS that no other test uses, so that it may be killed.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn own_seaweed() -> Self {
        Self::own("seaweed")
    }

    fn find(variable: &str, name: &'static str) -> Self {
        match std::env::var(variable) {
            Ok(url) if !url.is_empty() => Self { url, own: None },
            _ => Self::own(name),
        }
    }

    fn own(name: &'static str) -> Self {
        let own = Own::start(name);
        Self {
            url: own.url.clone(),
            own: Some(own),
        }
    }

    /// The server's address.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Kills the server with SIGKILL, and restarts it on the data on its disk.
    ///
    /// # Panics
    /// If other tests also use it, or it does not restart.
    pub fn crash(&mut self) {
        self.own.as_mut().expect("nobody else uses it").crash();
    }

    /// Creates a bucket that no other test uses.
    ///
    /// # Panics
    /// If the server rejects the request.
    pub async fn fresh_bucket(&self) -> Place {
        self.try_bucket().await.expect("the server makes a bucket")
    }

    /// Creates a bucket, and returns the error to callers that can continue without it.
    ///
    /// # Errors
    /// The server rejects the request.
    pub async fn try_bucket(&self) -> Result<Place, Box<dyn Error + Send + Sync>> {
        let bucket = fresh_name();
        self.client().create_bucket().bucket(&bucket).send().await?;
        Ok(Place {
            url: format!("s3://{bucket}?endpoint={}&region={REGION}", self.url),
            bucket,
            id: ID,
            secret: SECRET,
        })
    }

    pub(crate) fn client(&self) -> Client {
        let config = aws_sdk_s3::Config::builder()
            .behavior_version(BehaviorVersion::v2026_01_12())
            .region(Region::new(REGION))
            .credentials_provider(Credentials::new(ID, SECRET, None, None, "the tests"))
            .endpoint_url(&self.url)
            .force_path_style(true)
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .build();
        Client::from_conf(config)
    }
}

impl Place {
    /// The access key's id on both servers.
    pub const ID: &str = ID;
    /// The access key's secret.
    pub const SECRET: &str = SECRET;

    /// The bucket with a prefix.
    #[must_use]
    pub fn below(&self, prefix: &str) -> Self {
        let url = self.url.replacen('?', &format!("/{prefix}?"), 1);
        Self {
            url,
            ..self.clone()
        }
    }

    /// The environment in which the SDK's chain finds the access key.
    #[must_use]
    pub fn environment(&self) -> [(&'static str, &'static str); 2] {
        [
            ("AWS_ACCESS_KEY_ID", self.id),
            ("AWS_SECRET_ACCESS_KEY", self.secret),
        ]
    }
}

/// A bucket name that is unique among the processes that share the server.
fn fresh_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = since.unwrap_or_default().as_nanos();
    format!("pond-{}-{nanos}-{count}", std::process::id())
}
