//! `s3://bucket/prefix?endpoint=...&region=...&path_style=true`, read and written.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use millpond::keys::Prefix;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use crate::Options;

/// What would end a value, or be read as something else.
const SPECIAL: &AsciiSet = &CONTROLS.add(b' ').add(b'%').add(b'&').add(b'#').add(b'"');

/// What is left for the engine's own keys is twice what they need.
const LONGEST_PREFIX: usize = 512;

/// Why a URL names no bucket. It does not repeat values: some hold secrets by mistake.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}{}", named(.name))]
pub struct UrlError {
    /// What is wrong.
    pub why: &'static str,
    /// The part of the query it is about.
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

    fn from_str(url: &str) -> Result<Self, UrlError> {
        let Some(rest) = url.strip_prefix("s3://") else {
            return refuse("it does not begin with `s3://`");
        };
        let (place, query) = match rest.split_once('?') {
            Some((place, query)) => (place, Some(query)),
            None => (rest, None),
        };
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        if bucket.contains('@') {
            return refuse("credentials do not belong into a URL: the SDK's chain finds them");
        }
        if !is_name(bucket) {
            return refuse("the bucket's name must be 3 to 63 of `a-z`, `0-9`, `.` and `-`");
        }
        let mut options = Self::new(bucket);
        options.prefix = folder(prefix)?;
        let mut names = BTreeSet::new();
        for pair in query.into_iter().flat_map(|query| query.split('&')) {
            let Some((name, value)) = pair.split_once('=') else {
                return refuse("the query must be `name=value`, joined by `&`");
            };
            let set = match names.insert(name) {
                true => set(&mut options, name, value),
                false => Err("it is said twice"),
            };
            set.map_err(|why| UrlError {
                why,
                name: Some(name.to_owned()),
            })?;
        }
        Ok(options)
    }
}

/// Whether AWS would take it as the name of a bucket.
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
        Err(_) => refuse("the prefix must be components of `[A-Za-z0-9._~-]`, joined by `/`"),
    }
}

fn set(options: &mut Options, name: &str, value: &str) -> Result<(), &'static str> {
    let value = percent_decode_str(value)
        .decode_utf8()
        .map_err(|_| "its value is no UTF-8")?;
    if value.is_empty() {
        return Err("it has no value");
    }
    let text = |value: Cow<'_, str>| Some(value.into_owned());
    match name {
        "endpoint" if is_server(&value) => options.endpoint = text(value),
        "endpoint" => return Err("it must be `http://` or `https://` and a host, no credentials"),
        "region" => options.region = text(value),
        "path_style" => {
            let word = value.parse().map_err(|_| "it must be `true` or `false`")?;
            options.path_style = Some(word);
        }
        "connect_timeout_ms" => options.connect_timeout = millis(&value)?,
        "request_timeout_ms" => options.request_timeout = millis(&value)?,
        _ => {
            return Err(
                "known are endpoint, region, path_style, connect_timeout_ms and \
                 request_timeout_ms, not this one",
            );
        }
    }
    Ok(())
}

fn is_server(endpoint: &str) -> bool {
    let host = endpoint
        .strip_prefix("http://")
        .or_else(|| endpoint.strip_prefix("https://"));
    host.is_some_and(|host| {
        !host.is_empty() && !host.starts_with('/') && !host.contains(['@', '?'])
    })
}

fn millis(value: &str) -> Result<Duration, &'static str> {
    match value.parse() {
        Ok(number) if (1..=600_000).contains(&number) => Ok(Duration::from_millis(number)),
        _ => Err("it must be a number of milliseconds, at most ten minutes"),
    }
}

/// The URL that says the same.
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
        let said = query
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        for (at, (name, value)) in said.enumerate() {
            let mark = if at == 0 { '?' } else { '&' };
            write!(f, "{mark}{name}={}", utf8_percent_encode(&value, SPECIAL))?;
        }
        Ok(())
    }
}
