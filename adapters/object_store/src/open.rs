//! From a URL to a bucket.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use millpond::ports::Clock;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};

use crate::ObjectStoreBucket;
use crate::heard::Listening;
use crate::list::Lister;
use crate::map::Naming;

/// How long one request may take. Its outcome is unknown after that.
const TIME: Duration = Duration::from_secs(30);
/// How long a connection may take: nothing is sent before it stands.
const CONNECT: Duration = Duration::from_secs(5);

/// A bucket by URL: `gs://bucket/prefix` or `az://account/container/prefix`, where
/// `?endpoint=http://host:port` names another server that speaks the same.
///
/// Credentials are found as the cloud's own tools find them: application default credentials,
/// or `AZURE_...` variables, managed identity, workload identity.
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

/// A URL that names no bucket of these clouds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no bucket can be opened by {url:?}: {why}")]
pub struct PlaceError {
    /// The URL.
    pub url: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// A bucket that was not opened.
#[derive(Debug, thiserror::Error)]
#[error("the bucket cannot be opened: place={place}")]
pub struct OpenError {
    /// The bucket.
    pub place: String,
    /// What is wrong.
    pub source: object_store::Error,
}

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(url: &str) -> Result<Self, PlaceError> {
        parse(url).map_err(|why| PlaceError {
            url: url.to_owned(),
            why,
        })
    }
}

fn parse(url: &str) -> Result<Place, &'static str> {
    let (scheme, rest) = url.split_once("://").ok_or("it has no scheme")?;
    let (path, query) = match rest.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (rest, None),
    };
    let mut parts = path.trim_end_matches('/').split('/');
    let mut part = |why| parts.next().filter(|part| !part.is_empty()).ok_or(why);
    let cloud = match scheme {
        "gs" => Cloud::Google,
        "az" => Cloud::Azure {
            account: part("it names no account: az://account/container/prefix")?.to_owned(),
        },
        "file" => {
            return Err("the local files of this adapter have no compare-and-swap; \
                        `file:./folder` is a bucket in a folder");
        }
        _ => return Err("the scheme is neither `gs` nor `az`"),
    };
    let bucket = part("it names no bucket")?.to_owned();
    let prefix: Vec<_> = parts.collect();
    if prefix.iter().any(|part| matches!(*part, "" | "." | "..")) {
        return Err("the prefix has an empty, `.` or `..` component");
    }
    let mut endpoint = None;
    for pair in query.into_iter().flat_map(|query| query.split('&')) {
        match pair.split_once('=') {
            Some(("endpoint", at)) if at.starts_with("http://") || at.starts_with("https://") => {
                endpoint = Some(at.trim_end_matches('/').to_owned());
            }
            Some(("endpoint", _)) => return Err("an endpoint begins with http:// or https://"),
            _ => return Err("the only parameter is `endpoint`"),
        }
    }
    Ok(Place {
        cloud,
        bucket,
        prefix: prefix.join("/"),
        endpoint,
    })
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
            .try_for_each(|at| write!(f, "?endpoint={at}"))
    }
}

impl Place {
    /// Opens the bucket, with the credentials of the environment. No request.
    ///
    /// # Errors
    /// The configuration does not hold together, or a key file cannot be read.
    pub fn open(&self, clock: Arc<dyn Clock>) -> Result<ObjectStoreBucket, OpenError> {
        self.open_within(clock, None, TIME)
    }

    /// The same with a bearer token instead of the environment's credentials, and with another
    /// time-out than half a minute.
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
            .with_http_connector(self.listening("storage.googleapis.com"))
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
            .with_http_connector(self.listening(&format!("{account}.blob.core.windows.net")))
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

    fn listening(&self, host: &str) -> Listening {
        let endpoint = self.endpoint.as_deref().and_then(|at| at.split_once("://"));
        let host = endpoint.map_or(host, |(_, at)| at.split('/').next().unwrap_or(at));
        Listening {
            host: host.to_owned(),
        }
    }
}

/// The crate would repeat a write whose first try may have landed, and read its own 412 as
/// somebody else's object.
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
        ] {
            let place: Place = url.parse().expect(url);
            assert_eq!(place.to_string(), url);
        }
        let place: Place = "gs://pond/a/".parse().expect("a URL");
        assert_eq!(place.to_string(), "gs://pond/a");
    }

    #[test]
    fn what_names_no_bucket_is_refused_and_local_files_by_name() {
        for (url, why) in [
            ("file:///srv/pond", "compare-and-swap"),
            ("s3://pond", "neither"),
            ("gs://", "no bucket"),
            ("az://acme", "no bucket"),
            ("az://", "no account"),
            ("gs://pond/a//b", "empty"),
            ("gs://pond?region=x", "only parameter"),
            ("gs://pond?endpoint=host", "http://"),
        ] {
            let error = url.parse::<Place>().expect_err(url).to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
