//! `s3://bucket/prefix?endpoint=...&region=...&path_style=true`, read and written.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use millpond::keys::Prefix;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::{Position, Url};

use crate::Options;

/// Characters that would end a value or change its meaning.
const SPECIAL: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'%')
    .add(b'&')
    .add(b'+')
    .add(b'#')
    .add(b'"');

const PREFIX: &str = "the prefix must be components of `[A-Za-z0-9._~-]`, joined by `/`, none of \
                      them `.` or `..`";

/// The rest of the key length is twice what the engine's own keys need.
const LONGEST_PREFIX: usize = 512;

/// Why a URL does not name a bucket. The error omits values, since some contain secrets by mistake.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}{}", named(.name))]
pub struct UrlError {
    /// What is wrong.
    pub why: &'static str,
    /// The query parameter concerned.
    pub name: Option<String>,
}

fn named(name: &Option<String>) -> String {
    name.as_ref()
        .map(|name| format!(": {name}"))
        .unwrap_or_default()
}

fn refuse<T>(why: &'static str) -> Result<T, UrlError> {
    Err(UrlError { why, name: None })
}

impl FromStr for Options {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        if !text.starts_with("s3://") {
            return refuse("it does not begin with `s3://`");
        }
        let Ok(url) = Url::parse(text) else {
            return refuse("it is not a URL of the form `s3://bucket/prefix?name=value`");
        };
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("credentials do not belong in a URL: the SDK's chain finds them");
        }
        if url.port().is_some() {
            return refuse(
                "the bucket's name has no port; another server is `?endpoint=http://host:port`",
            );
        }
        let bucket = url.host_str().unwrap_or_default();
        if !is_name(bucket) {
            return refuse("the bucket's name must be 3 to 63 of `a-z`, `0-9`, `.` and `-`");
        }
        // Reject any URL that parsing changes (`..` is resolved, spaces are encoded): the result
        // would name another place.
        let written = text.split(['?', '#']).next().unwrap_or_default();
        if url.fragment().is_some() || written != &url[..Position::AfterPath] {
            return refuse(PREFIX);
        }
        let mut options = Self::new(bucket);
        options.prefix = folder(url.path().strip_prefix('/').unwrap_or_default())?;
        if url.query() == Some("") {
            return refuse("the query must be `name=value`, joined by `&`");
        }
        let mut names = BTreeSet::new();
        for (name, value) in url.query_pairs() {
            let set = match names.insert(name.to_string()) {
                true => set(&mut options, &name, &value),
                false => Err("it is given twice"),
            };
            set.map_err(|why| UrlError {
                why,
                name: Some(name.into_owned()),
            })?;
        }
        Ok(options)
    }
}

/// Whether AWS would accept it as a bucket name.
fn is_name(name: &str) -> bool {
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    (3..=63).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-.".contains(&b))
        && ends(name.chars().next())
        && ends(name.chars().last())
}

/// A prefix as a folder: whole components.
fn folder(prefix: &str) -> Result<String, UrlError> {
    let prefix = match prefix {
        "" => return Ok(String::new()),
        whole if whole.ends_with('/') => whole.to_owned(),
        open => format!("{open}/"),
    };
    if prefix.len() > LONGEST_PREFIX {
        return refuse(
            "the prefix must be at most 512 bytes: a key of S3 has 1,024, and the engine's follow it",
        );
    }
    match Prefix::parse(&prefix) {
        Ok(_) => Ok(prefix),
        Err(_) => refuse(PREFIX),
    }
}

fn set(options: &mut Options, name: &str, value: &str) -> Result<(), &'static str> {
    if value.is_empty() {
        return Err("it has no value; a parameter is `name=value`");
    }
    if value.contains(char::REPLACEMENT_CHARACTER) {
        return Err("its value is not UTF-8");
    }
    match name {
        "endpoint" => options.endpoint = Some(server(value)?),
        "region" => options.region = Some(value.to_owned()),
        "path_style" => {
            let word = value.parse().map_err(|_| "it must be `true` or `false`")?;
            options.path_style = Some(word);
        }
        "connect_timeout_ms" => options.connect_timeout = millis(value)?,
        "request_timeout_ms" => options.request_timeout = millis(value)?,
        _ => {
            return Err(
                "known are endpoint, region, path_style, connect_timeout_ms and \
                 request_timeout_ms, not this one",
            );
        }
    }
    Ok(())
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
        _ => Err("it must be `http://` or `https://` and a host, without credentials or a query"),
    }
}

fn millis(value: &str) -> Result<Duration, &'static str> {
    match value.parse() {
        Ok(number) if (1..=600_000).contains(&number) => Ok(Duration::from_millis(number)),
        _ => Err("it must be a number of milliseconds, at most ten minutes"),
    }
}

/// Writes the equivalent URL.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = Self::new(&self.bucket);
        let prefix = self.prefix.trim_end_matches('/');
        let slash = if prefix.is_empty() { "" } else { "/" };
        write!(f, "s3://{}{slash}{prefix}", self.bucket)?;
        let ms = |now: Duration, before| (now != before).then(|| now.as_millis().to_string());
        let query = [
            ("endpoint", self.endpoint.clone()),
            ("region", self.region.clone()),
            ("path_style", self.path_style.map(|word| word.to_string())),
            (
                "connect_timeout_ms",
                ms(self.connect_timeout, base.connect_timeout),
            ),
            (
                "request_timeout_ms",
                ms(self.request_timeout, base.request_timeout),
            ),
        ];
        let parameters = query
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        for (at, (name, value)) in parameters.enumerate() {
            let mark = if at == 0 { '?' } else { '&' };
            write!(f, "{mark}{name}={}", utf8_percent_encode(&value, SPECIAL))?;
        }
        Ok(())
    }
}
