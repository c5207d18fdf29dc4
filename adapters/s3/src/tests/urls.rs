//! URLs.

use std::time::Duration;

use crate::Options;

#[test]
fn a_url_contains_everything_and_is_printed_again() {
    let url = "s3://my-pond/team/a?endpoint=http://127.0.0.1:9000&region=eu-north-1\
        &path_style=true&connect_timeout_ms=250&request_timeout_ms=4000";
    let options: Options = url.parse().unwrap();
    assert_eq!(options.bucket, "my-pond");
    assert_eq!(options.prefix, "team/a/");
    assert_eq!(options.endpoint.as_deref(), Some("http://127.0.0.1:9000"));
    assert_eq!(options.region.as_deref(), Some("eu-north-1"));
    assert_eq!(options.path_style, Some(true));
    assert_eq!(options.connect_timeout, Duration::from_millis(250));
    assert_eq!(options.request_timeout, Duration::from_secs(4));
    assert_eq!(options.to_string(), url);

    let plain: Options = "s3://my-pond".parse().unwrap();
    assert_eq!(plain, Options::new("my-pond"));
    assert_eq!(plain.to_string(), "s3://my-pond");
    assert!(!plain.is_express() && Options::new("pond--eun1-az1--x-s3").is_express());
}

#[test]
fn values_are_percent_decoded() {
    let url = "s3://my-pond/p/?endpoint=https%3A%2F%2Fhost%3A9000%2Fa%26b";
    let options: Options = url.parse().unwrap();
    assert_eq!(options.endpoint.as_deref(), Some("https://host:9000/a&b"));
    let again: Options = options.to_string().parse().unwrap();
    assert_eq!(again, options);
    let plus = Options {
        region: Some("a+b c".to_owned()),
        ..options
    };
    assert_eq!(plus.to_string().parse(), Ok(plus));
}

#[test]
fn invalid_parameters_of_a_url_are_named_and_no_secret_is_repeated() {
    for (url, word) in [
        ("http://pond", "s3://"),
        ("s3://", "name"),
        ("s3://Pond", "name"),
        ("s3://id:hush@pond/p", "credentials"),
        ("s3://pond/a//b", "prefix"),
        ("s3://pond/a%20b", "prefix"),
        ("s3://pond/a b", "prefix"),
        ("s3://pond/a/../b", "prefix"),
        ("s3://pond/a#b", "prefix"),
        ("s3://pond:9000/p", "port"),
        ("s3://pond ", "prefix"),
        ("s3://po nd/p", "not a URL"),
        ("s3://pond?", "name=value"),
        ("s3://pond?region", "name=value"),
        ("s3://pond?region=", "region"),
        ("s3://pond?secret_key=hush", "secret_key"),
        ("s3://pond?endpoint=host:9000", "endpoint"),
        ("s3://pond?endpoint=http://id:hush@host", "endpoint"),
        ("s3://pond?endpoint=http://host%3Fa=b", "endpoint"),
        ("s3://pond?path_style=yes", "path_style"),
        ("s3://pond?request_timeout_ms=0", "request_timeout_ms"),
        ("s3://pond?connect_timeout_ms=3s", "connect_timeout_ms"),
        ("s3://pond?region=%FF", "region"),
        ("s3://pond?region=x&region=y", "given twice"),
    ] {
        let error = url.parse::<Options>().expect_err(url).to_string();
        assert!(error.contains(word), "{url}: {error}");
        assert!(!error.contains("hush"), "{url}: {error}");
    }
}

#[test]
fn a_prefix_leaves_room_for_the_engine_s_keys() {
    let url = |length: usize| format!("s3://pond/{}", "a".repeat(length));
    assert!(url(511).parse::<Options>().is_ok());
    let refused = url(512).parse::<Options>().unwrap_err().to_string();
    assert!(refused.contains("512 bytes"), "{refused}");
}
