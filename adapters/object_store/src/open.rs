//! Parses a URL and opens the bucket.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use millpond::ports::Clock;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::{Position, Url};

use crate::ObjectStoreBucket;
use crate::list::Lister;
use crate::map::Naming;
use crate::reply::RecordingConnector;

/// Characters that would end a value or change its meaning.
const SPECIAL: &AsciiSet = &CONTROLS.add(b'%').add(b'&').add(b'+');

/// Timeout of one request. After it, the outcome is unknown.
const TIME: Duration = Duration::from_secs(30);
/// Timeout for opening a connection: no request is sent before it is open.
const CONNECT: Duration = Duration::from_secs(5);

/// A bucket by URL: `gs://bucket/prefix` or `az://account/container/prefix`, where
/// `?endpoint=http://host:port` names another server with the same API.
///
/// Credentials come from the sources that the cloud's own tools use: application default
/// credentials, or `AZURE_...` variables, managed identity, workload identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    cloud: Cloud,
    bucket: String,
    prefix: String,
    endpoint: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Cloud {
    Google,
    Azure { account: String },
}

/// A URL that does not name a bucket of these clouds. The error omits the URL, since some contain
/// secrets by mistake.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the URL names no bucket: {why}")]
pub struct PlaceError {
    /// What is wrong with it.
    pub why: &'static str,
}

/// Opening a bucket failed.
#[derive(Debug, thiserror::Error)]
#[error("the bucket cannot be opened: place={place}")]
pub struct OpenError {
    /// The bucket.
    pub place: String,
    /// The cause.
    pub source: object_store::Error,
}

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(url: &str) -> Result<Self, PlaceError> {
        parse(url).map_err(|why| PlaceError { why })
    }
}

fn parse(text: &str) -> Result<Place, &'static str> {
    let url = Url::parse(text).map_err(|_| "it is not a URL")?;
    if !matches!(url.scheme(), "gs" | "az") {
        return Err("the scheme is neither `gs` nor `az`");
    }
    if !url.username().is_empty() || url.password().is_some() || url.port().is_some() {
        return Err(
            "credentials and a port do not belong in it: the environment has the credentials, \
                    and another server is `?endpoint=http://host:port`",
        );
    }
    // Reject any URL that parsing changes (`..` is resolved, spaces are encoded): the result would
    // name another place.
    let written = text.split(['?', '#']).next().unwrap_or_default();
    if url.fragment().is_some() || written != &url[..Position::AfterPath] {
        return Err("the prefix has a `.` or `..` component, or a character that is not plain");
    }
    let host = url.host_str().unwrap_or_default();
    let path = url.path().strip_prefix('/').unwrap_or_default();
    let mut parts = path.strip_suffix('/').unwrap_or(path).split('/');
    let (cloud, bucket) = match url.scheme() {
        "az" if host.is_empty() => {
            return Err("it names no account: az://account/container/prefix");
        }
        "az" => {
            let account = host.to_owned();
            (Cloud::Azure { account }, parts.next().unwrap_or_default())
        }
        _ => (Cloud::Google, host),
    };
    if bucket.is_empty() {
        return Err("it names no bucket");
    }
    let prefix: Vec<_> = parts.collect();
    if prefix.len() > 1 && prefix.contains(&"") {
        return Err("the prefix has an empty component");
    }
    let mut endpoint = None;
    for (name, value) in url.query_pairs() {
        match &*name {
            "endpoint" if endpoint.is_some() => return Err("`endpoint` is given twice"),
            "endpoint" => endpoint = Some(server(&value)?),
            _ => return Err("the only parameter is `endpoint`"),
        }
    }
    Ok(Place {
        cloud,
        bucket: bucket.to_owned(),
        prefix: prefix.join("/"),
        endpoint,
    })
}

/// A server's URL, without the trailing `/`.
fn server(value: &str) -> Result<String, &'static str> {
    let is_server = |url: &Url| {
        matches!(url.scheme(), "http" | "https")
            && (url.username(), url.password()) == ("", None)
            && (url.query(), url.fragment()) == (None, None)
    };
    match Url::parse(value) {
        Ok(url) if is_server(&url) => Ok(url.as_str().trim_end_matches('/').to_owned()),
        _ => {
            Err("an endpoint is `http://` or `https://` and a host, without credentials or a query")
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cloud {
            Cloud::Google => write!(f, "gs://{}", self.bucket)?,
            Cloud::Azure { account } => write!(f, "az://{account}/{}", self.bucket)?,
        }
        if !self.prefix.is_empty() {
            write!(f, "/{}", self.prefix)?;
        }
        self.endpoint
            .iter()
            .try_for_each(|at| write!(f, "?endpoint={}", utf8_percent_encode(at, SPECIAL)))
    }
}

impl Place {
    /// Opens the bucket with the credentials of the environment. No request.
    ///
    /// # Errors
    /// The configuration is inconsistent, or a key file cannot be read.
    pub fn open(&self, clock: Arc<dyn Clock>) -> Result<ObjectStoreBucket, OpenError> {
        self.open_within(clock, None, TIME)
    }

    /// Opens the bucket with a bearer token instead of the environment's credentials, and with
    /// another timeout than 30 seconds.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_within(
        &self,
        clock: Arc<dyn Clock>,
        token: Option<&str>,
        time: Duration,
    ) -> Result<ObjectStoreBucket, OpenError> {
        let opened = match &self.cloud {
            Cloud::Google => self.google(clock, token, time),
            Cloud::Azure { account } => self.azure(account, clock, token, time),
        };
        opened.map_err(|source| OpenError {
            place: self.to_string(),
            source,
        })
    }

    fn google(
        &self,
        clock: Arc<dyn Clock>,
        token: Option<&str>,
        time: Duration,
    ) -> object_store::Result<ObjectStoreBucket> {
        let mut builder = match token {
            Some(token) => GoogleCloudStorageBuilder::new().with_bearer_token(token),
            None => GoogleCloudStorageBuilder::from_env(),
        };
        if let Some(endpoint) = &self.endpoint {
            builder = builder.with_base_url(endpoint);
        }
        let store = builder
            .with_bucket_name(&self.bucket)
            .with_retry(no_retries())
            .with_client_options(self.client(time))
            .with_http_connector(self.connector("storage.googleapis.com"))
            .build()?;
        let store = Arc::new(store);
        let lister = Lister::Paged(Arc::clone(&store) as _);
        Ok(self.bucket(store, lister, Naming::Generation, clock))
    }

    fn azure(
        &self,
        account: &str,
        clock: Arc<dyn Clock>,
        token: Option<&str>,
        time: Duration,
    ) -> object_store::Result<ObjectStoreBucket> {
        let mut builder = match token {
            Some(token) => MicrosoftAzureBuilder::new().with_bearer_token_authorization(token),
            None => MicrosoftAzureBuilder::from_env(),
        };
        if let Some(endpoint) = &self.endpoint {
            builder = builder.with_endpoint(endpoint.clone());
        }
        let store = builder
            .with_account(account)
            .with_container_name(&self.bucket)
            .with_retry(no_retries())
            .with_client_options(self.client(time))
            .with_http_connector(self.connector(&format!("{account}.blob.core.windows.net")))
            .build()?;
        let store = Arc::new(store);
        let lister = Lister::Paged(Arc::clone(&store) as _);
        Ok(self.bucket(store, lister, Naming::ETag, clock))
    }

    fn bucket(
        &self,
        store: Arc<dyn ObjectStore>,
        lister: Lister,
        naming: Naming,
        clock: Arc<dyn Clock>,
    ) -> ObjectStoreBucket {
        ObjectStoreBucket::new(store, lister, naming, clock, &self.prefix)
    }

    fn client(&self, time: Duration) -> ClientOptions {
        let plain = self
            .endpoint
            .as_ref()
            .is_some_and(|at| at.starts_with("http://"));
        ClientOptions::new()
            .with_timeout(time)
            .with_connect_timeout(CONNECT)
            .with_allow_http(plain)
    }

    fn connector(&self, host: &str) -> RecordingConnector {
        let endpoint = self.endpoint.as_deref().and_then(|at| at.split_once("://"));
        let host = endpoint.map_or(host, |(_, at)| at.split('/').next().unwrap_or(at));
        RecordingConnector {
            host: host.to_owned(),
        }
    }
}

/// With retries, the crate would repeat a write whose first attempt may have landed, and would
/// interpret the resulting 412 as an object of another writer.
fn no_retries() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig::default(),
        max_retries: 0,
        retry_timeout: Duration::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_both_clouds_are_read_and_spelled_back() {
        for url in [
            "gs://pond",
            "gs://pond/a/b",
            "az://acme/pond",
            "az://acme/pond/a",
            "gs://pond/a?endpoint=http://127.0.0.1:4443",
            "az://acme/pond?endpoint=http://host/a%26b",
        ] {
            let place: Place = url.parse().expect(url);
            assert_eq!(place.to_string(), url);
        }
        let place: Place = "gs://pond/a/".parse().expect("a URL");
        assert_eq!(place.to_string(), "gs://pond/a");
    }

    #[test]
    fn what_names_no_bucket_is_refused() {
        for (url, why) in [
            ("file:///srv/pond", "neither"),
            ("pond", "not a URL"),
            ("s3://pond", "neither"),
            ("gs://", "no bucket"),
            ("az://acme", "no bucket"),
            ("az://", "no account"),
            ("gs://pond/a//b", "empty"),
            ("gs://pond?region=x", "only parameter"),
            ("gs://pond?endpoint=host", "http://"),
            ("gs://pond?endpoint=http://id:hush@host", "http://"),
            ("gs://pond?endpoint=http://a&endpoint=http://b", "twice"),
            ("gs://pond?endpoint", "http://"),
            ("gs://id:hush@pond", "credentials"),
            ("gs://pond:80/a", "port"),
            ("gs://pond/a/../b", "`..`"),
            ("gs://pond/a b", "not plain"),
            ("az://acme//a", "no bucket"),
        ] {
            let error = url.parse::<Place>().expect_err(url).to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
