//! Opens a bucket: finds region and credentials, and creates the client. No request goes to the
//! bucket; if credentials come from a service, that service receives one.

use std::error::Error;
use std::sync::Arc;

use aws_config::{AppName, BehaviorVersion, Region};
use aws_sdk_s3::Client;
use aws_sdk_s3::config::retry::RetryConfig;
use aws_sdk_s3::config::timeout::TimeoutConfig;
use aws_sdk_s3::config::{
    Credentials, ProvideCredentials, RequestChecksumCalculation, ResponseChecksumValidation,
    SharedHttpClient, StalledStreamProtectionConfig,
};
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use millpond::client::chain;
use millpond_host::StoreTime;

use crate::bucket::S3Bucket;
use crate::names::Root;
use crate::options::Options;

/// Why a bucket was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No source specifies its region.
    #[error(
        "no region for the bucket: set `?region=...` in its URL, or set AWS_REGION or a profile: \
         bucket={bucket}"
    )]
    Region {
        /// The bucket.
        bucket: String,
    },
    /// No credentials were found, and the engine does not write anonymously.
    #[error(
        "no credentials for the bucket, and anonymous requests are not supported: set \
         AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or give the machine a role: \
         bucket={bucket}"
    )]
    Credentials {
        /// The bucket.
        bucket: String,
        /// The error of the SDK's credentials chain.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl S3Bucket {
    /// Opens the bucket with the region and credentials of the SDK's chain.
    ///
    /// # Errors
    /// [`OpenError`] names the missing setting, and where to set it.
    pub async fn open(options: &Options) -> Result<Self, OpenError> {
        Self::open_over(options, None, http()).await
    }

    /// Opens the bucket with the access key of the program; the region still comes from the chain.
    ///
    /// # Errors
    /// [`OpenError::Region`].
    pub async fn open_as(options: &Options, id: &str, secret: &str) -> Result<Self, OpenError> {
        let me = Credentials::new(id, secret, None, None, "the program");
        Self::open_over(options, Some(me), http()).await
    }

    /// Opens the bucket over any HTTP client.
    pub(crate) async fn open_over(
        options: &Options,
        me: Option<Credentials>,
        http: SharedHttpClient,
    ) -> Result<Self, OpenError> {
        let bucket = &options.bucket;
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(options.connect_timeout)
            .read_timeout(options.request_timeout)
            .build();
        let mut loader = aws_config::defaults(BehaviorVersion::v2026_01_12())
            .http_client(http)
            .timeout_config(timeouts)
            .app_name(AppName::new("millpond").expect("it is a plain word"));
        if let Some(me) = me {
            loader = loader.credentials_provider(me);
        }
        if let Some(region) = &options.region {
            loader = loader.region(Region::new(region.clone()));
        }
        if let Some(endpoint) = &options.endpoint {
            loader = loader.endpoint_url(endpoint);
        }
        let shared = loader.load().await;
        if shared.region().is_none() {
            let bucket = bucket.clone();
            return Err(OpenError::Region { bucket });
        }
        let anonymous = |source| OpenError::Credentials {
            bucket: bucket.clone(),
            source,
        };
        let credentials = shared
            .credentials_provider()
            .ok_or_else(|| anonymous("there is no provider of credentials".into()))?;
        let found = credentials.provide_credentials().await;
        found.map_err(|error| anonymous(chain(&error).into()))?;
        let config = aws_sdk_s3::config::Builder::from(&shared)
            // S1. The port enforces the request's timeout, over the body as well.
            .retry_config(RetryConfig::disabled())
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            // A signed request already contains a digest of its body, and not every server supports
            // further checksums.
            .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
            .response_checksum_validation(ResponseChecksumValidation::WhenRequired)
            .force_path_style(options.path_style.unwrap_or(options.endpoint.is_some()))
            .build();
        Ok(Self {
            client: Client::from_conf(config),
            name: bucket.clone(),
            root: Root(options.prefix.clone()),
            express: options.is_express(),
            request_timeout: options.request_timeout,
            time: Arc::new(StoreTime::new()),
        })
    }
}

/// One client, whose connections all requests of the bucket share.
pub(crate) fn http() -> SharedHttpClient {
    aws_smithy_http_client::Builder::new()
        .tls_provider(Provider::Rustls(CryptoMode::Ring))
        .build_https()
}
