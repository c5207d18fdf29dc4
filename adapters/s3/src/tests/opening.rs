//! Opening: the error names the missing setting.

use aws_sdk_s3::config::{Credentials, SharedHttpClient};

use super::script::{Answer, Script};
use crate::{OpenError, Options, S3Bucket};

#[tokio::test]
async fn a_virtual_host_names_the_bucket_on_aws_and_a_path_elsewhere() {
    for (query, wanted) in [
        (
            "region=eu-north-1",
            "https://pond.s3.eu-north-1.amazonaws.com/k",
        ),
        (
            "region=eu-north-1&path_style=true",
            "https://s3.eu-north-1.amazonaws.com/pond/k",
        ),
        (
            "region=x&endpoint=http://host:9000",
            "http://host:9000/pond/k",
        ),
        (
            "region=x&endpoint=http://host:9000&path_style=false",
            "http://pond.host:9000/k",
        ),
    ] {
        let script = Script::of([Answer::error(404, "NoSuchKey")]);
        let bucket = script.open(&format!("s3://pond?{query}")).await;
        bucket.get(&super::script::key("k")).await.unwrap();
        let uri = script.asked()[0].uri.clone();
        assert_eq!(uri.split('?').next(), Some(wanted), "{query}");
    }
}

#[tokio::test]
async fn without_a_region_the_bucket_is_not_opened() {
    let options: Options = "s3://pond".parse().unwrap();
    let me = Credentials::new("id", "secret", None, None, "a test");
    // The chain queries the machine's own metadata service last: there is none here.
    let http = SharedHttpClient::new(Script::play(|_| Answer::bare(404)));
    let error = S3Bucket::open_over(&options, Some(me), http)
        .await
        .unwrap_err();
    assert!(matches!(error, OpenError::Region { .. }), "{error:?}");
    assert!(error.to_string().contains("AWS_REGION"), "{error}");
}

#[tokio::test]
async fn anonymous_is_refused_with_what_to_do() {
    let options: Options = "s3://pond?region=eu-north-1".parse().unwrap();
    let http = SharedHttpClient::new(Script::play(|_| Answer::bare(404)));
    let error = S3Bucket::open_over(&options, None, http).await.unwrap_err();
    assert!(matches!(error, OpenError::Credentials { .. }), "{error:?}");
    assert!(error.to_string().contains("AWS_ACCESS_KEY_ID"), "{error}");
}
