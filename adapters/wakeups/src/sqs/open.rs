//! Creates the client: region and credentials by the SDK's chain. No request is sent.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{AppName, BehaviorVersion};
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use millpond::domain::Queue;
use millpond::ports::Clock;

use super::SqsWakeups;

/// Timeout of a request: a later hint is of no use.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why messages cannot be sent.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No source specifies the region of the queues.
    #[error("no region for the queues: set AWS_REGION or a profile")]
    Region,
}

impl SqsWakeups {
    /// Sends to the queues with the given URLs; hints for other queues are dropped. Timers due
    /// within `reach`, 15 minutes at most, are sent. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// [`OpenError`] names the missing setting.
    pub async fn open(
        urls: BTreeMap<Queue, String>,
        reach: Duration,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, OpenError> {
        let http = aws_smithy_http_client::Builder::new()
            .tls_provider(Provider::Rustls(CryptoMode::Ring))
            .build_https();
        let timeouts = TimeoutConfig::builder().operation_timeout(PATIENCE).build();
        let shared = aws_config::defaults(BehaviorVersion::v2026_01_12())
            .http_client(http)
            .timeout_config(timeouts)
            // A duplicate message costs one short run.
            .retry_config(RetryConfig::standard().with_max_attempts(2))
            .app_name(AppName::new("millpond").expect("it is a plain word"))
            .load()
            .await;
        if shared.region().is_none() {
            return Err(OpenError::Region);
        }
        let client = Arc::new(aws_sdk_sqs::Client::new(&shared));
        Ok(Self::new(client, urls, reach, clock))
    }
}
