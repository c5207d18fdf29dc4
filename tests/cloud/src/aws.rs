//! Clients of the server for components other than functions: uploaders, and Lambda's own pollers.

use aws_sdk_s3::config::{BehaviorVersion, Credentials, Region};
use millpond_servers::Place;

use crate::REGION;

/// A client of the S3 endpoint.
#[must_use]
pub fn s3(endpoint: &str) -> aws_sdk_s3::Client {
    let config = aws_sdk_s3::Config::builder()
        .behavior_version(BehaviorVersion::v2026_01_12())
        .region(Region::new(REGION))
        .credentials_provider(credentials())
        .endpoint_url(endpoint)
        .force_path_style(true)
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build();
    aws_sdk_s3::Client::from_conf(config)
}

/// A client of the SQS endpoint.
#[must_use]
pub fn sqs(endpoint: &str) -> aws_sdk_sqs::Client {
    let config = aws_sdk_sqs::Config::builder()
        .behavior_version(aws_sdk_sqs::config::BehaviorVersion::v2026_01_12())
        .region(aws_sdk_sqs::config::Region::new(REGION))
        .credentials_provider(credentials())
        .endpoint_url(endpoint)
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build();
    aws_sdk_sqs::Client::from_conf(config)
}

fn credentials() -> Credentials {
    Credentials::new(Place::ID, Place::SECRET, None, None, "the emulated cloud")
}
