//! The environment, read in one place, once.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use millpond::client::RetentionSettings;
use millpond::domain::Queue;

use crate::triggers::Secrets;

/// The environment variables.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `MILLPOND_BUCKET`: the bucket, without `--bucket`.
    pub bucket: Option<String>,
    /// `MILLPOND_CODE_REF`: the name of the build, instead of the time and name of the executable.
    pub code_ref: Option<String>,
    /// `MILLPOND_TTL`, in seconds: the duration of a lease.
    pub ttl: Option<Duration>,
    /// `MILLPOND_QUEUES`: the queues that workers of this deployment serve. A start on another queue is
    /// refused; none is if it is empty.
    pub queues: BTreeSet<Queue>,
    /// `MILLPOND_KEYRING`: the file of keys, without `--keyring`.
    pub keyring: Option<PathBuf>,
    /// `MILLPOND_COMPRESS` is `1`.
    pub compress: bool,
    /// `MILLPOND_RETENTION_AFTER`, in days: the age at which an ended execution is archived.
    pub retention_after: Option<Duration>,
    /// `MILLPOND_RETENTION_FREE_AFTER`, in days: how long after its end its key is free.
    pub retention_free_after: Option<Duration>,
    /// `USER`, `LOGNAME` or `USERNAME`: the actor, without `--actor`.
    pub user: Option<String>,
    /// `MILLPOND_TRIGGERS`: the file of rules, instead of `config/triggers.toml` in the bucket.
    pub triggers: Option<PathBuf>,
    /// `MILLPOND_WEBHOOK_SECRETS`: the secrets with which webhooks sign requests, by name.
    pub webhook_secrets: Option<Secrets>,
    /// `NO_COLOR` is set and not empty.
    pub no_color: bool,
}

/// An invalid environment variable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid environment variable {variable}: it {why}: value={value:?}")]
pub struct EnvironmentError {
    /// The variable.
    pub variable: &'static str,
    /// What it must be: a phrase that begins with `must`.
    pub why: &'static str,
    /// Its value.
    pub value: OsString,
}

impl Environment {
    /// Reads the process's environment.
    ///
    /// # Errors
    /// [`EnvironmentError`] names the first invalid variable.
    pub fn read() -> Result<Self, EnvironmentError> {
        Self::from(|variable| std::env::var_os(variable))
    }

    /// The same over any lookup.
    ///
    /// # Errors
    /// As [`Environment::read`].
    pub fn from(lookup: impl Fn(&str) -> Option<OsString>) -> Result<Self, EnvironmentError> {
        let text = |variable: &'static str| match lookup(variable) {
            None => Ok(None),
            Some(value) if value.is_empty() => Ok(None),
            Some(value) => value.into_string().map(Some).map_err(|value| {
                let why = "must be UTF-8 text";
                EnvironmentError {
                    variable,
                    why,
                    value,
                }
            }),
        };
        // An unreadable name is not an error: it is only a default.
        let user = ["USER", "LOGNAME", "USERNAME"];
        let user = user
            .into_iter()
            .find_map(|variable| text(variable).ok().flatten());
        let ttl = text("MILLPOND_TTL")?.map(|value| {
            seconds(&value).map_err(|why| EnvironmentError {
                variable: "MILLPOND_TTL",
                why,
                value: value.into(),
            })
        });
        let delay = |variable| {
            let value = text(variable)?;
            let delay = value.map(|value| {
                days(&value).map_err(|why| EnvironmentError {
                    variable,
                    why,
                    value: value.into(),
                })
            });
            delay.transpose()
        };
        Ok(Self {
            retention_after: delay("MILLPOND_RETENTION_AFTER")?,
            retention_free_after: delay("MILLPOND_RETENTION_FREE_AFTER")?,
            bucket: text("MILLPOND_BUCKET")?,
            code_ref: code_ref(text("MILLPOND_CODE_REF")?)?,
            ttl: ttl.transpose()?,
            queues: queues(text("MILLPOND_QUEUES")?)?,
            keyring: text("MILLPOND_KEYRING")?.map(PathBuf::from),
            compress: match text("MILLPOND_COMPRESS")?.as_deref() {
                None | Some("0") => false,
                Some("1") => true,
                Some(other) => {
                    return Err(EnvironmentError {
                        variable: "MILLPOND_COMPRESS",
                        why: "must be 0 or 1",
                        value: other.into(),
                    });
                }
            },
            user,
            triggers: text("MILLPOND_TRIGGERS")?.map(PathBuf::from),
            webhook_secrets: text("MILLPOND_WEBHOOK_SECRETS")?
                .map(|value| secrets(&value))
                .transpose()?,
            no_color: lookup("NO_COLOR").is_some_and(|value| !value.is_empty()),
        })
    }

    /// The delays of retention: from the environment, otherwise the defaults.
    #[must_use]
    pub fn retention(&self) -> RetentionSettings {
        let default = RetentionSettings::default();
        RetentionSettings {
            after: self.retention_after.unwrap_or(default.after),
            free_after: self.retention_free_after.unwrap_or(default.free_after),
            ..default
        }
    }
}

fn secrets(value: &str) -> Result<Secrets, EnvironmentError> {
    Secrets::parse(value).map_err(|_| EnvironmentError {
        variable: "MILLPOND_WEBHOOK_SECRETS",
        why: "must be a JSON object from names to secrets, none of them empty",
        // A secret must not appear in a log.
        value: "(not shown)".into(),
    })
}

/// `default,slow`, or as on AWS Lambda `default=URL,slow=URL`.
fn queues(value: Option<String>) -> Result<BTreeSet<Queue>, EnvironmentError> {
    let value = value.unwrap_or_default();
    let parts = value
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let names = parts.map(|part| part.split_once('=').map_or(part, |(name, _)| name.trim()));
    let queues: Result<_, _> = names.map(Queue::parse).collect();
    queues.map_err(|_| EnvironmentError {
        variable: "MILLPOND_QUEUES",
        why: "must be a list of queues: NAME,NAME or NAME=URL,NAME=URL",
        value: value.clone().into(),
    })
}

/// Builds are ordered by name, so a name must begin with the build time.
fn code_ref(value: Option<String>) -> Result<Option<String>, EnvironmentError> {
    let good = |text: &str| {
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        text.len() <= 200
            && text.bytes().all(|byte| byte.is_ascii_graphic())
            && text.get(..8).is_some_and(digits)
            && text.get(8..9) == Some("T")
            && text.get(9..15).is_some_and(digits)
    };
    match value {
        Some(text) if !good(&text) => Err(EnvironmentError {
            variable: "MILLPOND_CODE_REF",
            why: "must begin with the build time, YYYYMMDDTHHMMSS, such as 20260131T090000-abc",
            value: text.into(),
        }),
        value => Ok(value),
    }
}

/// Reads a positive number of seconds, fractions allowed.
pub(crate) fn seconds(text: &str) -> Result<Duration, &'static str> {
    let rule = "must be a number of seconds above 0 and at most 86400, such as 30";
    let seconds: f64 = text.trim().parse().map_err(|_| rule)?;
    if seconds > 0.0 && seconds <= 86_400.0 {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(rule)
    }
}

/// Reads a number of days, fractions allowed.
pub(crate) fn days(text: &str) -> Result<Duration, &'static str> {
    let rule = "must be a number of days from 0 to 36500, such as 7";
    let days: f64 = text.trim().parse().map_err(|_| rule)?;
    match (0.0..=36_500.0).contains(&days) {
        true => Ok(Duration::from_secs_f64(days * 86_400.0)),
        false => Err(rule),
    }
}

/// Reads a number of minutes, fractions allowed.
pub(crate) fn minutes(text: &str) -> Result<Duration, &'static str> {
    let rule = "must be a number of minutes from 0 to 525600, such as 5";
    let minutes: f64 = text.trim().parse().map_err(|_| rule)?;
    match (0.0..=525_600.0).contains(&minutes) {
        true => Ok(Duration::from_secs_f64(minutes * 60.0)),
        false => Err(rule),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_variable_is_named() {
        let read = |value: &'static str| {
            Environment::from(|name| (name == "MILLPOND_TTL").then(|| value.into()))
        };
        for bad in ["soon", "0", "-1", "NaN", "1e9"] {
            let error = read(bad).expect_err("not a number of seconds");
            assert_eq!(error.variable, "MILLPOND_TTL");
            assert!(error.to_string().contains(bad), "{error}");
        }
        assert_eq!(read("0.5").unwrap().ttl, Some(Duration::from_millis(500)));
    }

    #[test]
    fn n9_queues_are_named_alone_or_with_their_urls() {
        let read = |value: &'static str| {
            Environment::from(|name| (name == "MILLPOND_QUEUES").then(|| value.into()))
        };
        let names = ["default", "slow"].map(|name| name.parse().unwrap()).into();
        for good in [
            "default,slow",
            " slow , default,",
            "default=https://a,slow=http://b",
        ] {
            assert_eq!(read(good).unwrap().queues, names, "{good}");
        }
        assert!(read("").unwrap().queues.is_empty());
        let error = read("default,UPPER/").expect_err("not a name");
        assert_eq!(error.variable, "MILLPOND_QUEUES");
    }

    #[test]
    fn delays_of_retention_are_days_and_an_invalid_one_is_named() {
        let read = |variable: &'static str, value: &'static str| {
            Environment::from(|name| (name == variable).then(|| value.into()))
        };
        let (after, free) = ("MILLPOND_RETENTION_AFTER", "MILLPOND_RETENTION_FREE_AFTER");
        for variable in [after, free] {
            for bad in ["soon", "-1", "NaN", "36501"] {
                let error = read(variable, bad).expect_err("not a number of days");
                assert_eq!(error.variable, variable);
            }
        }
        let half = Duration::from_secs(43_200);
        assert_eq!(read(after, "0.5").unwrap().retention().after, half);
        assert_eq!(read(free, "0.5").unwrap().retention().free_after, half);
        let default = RetentionSettings::default();
        assert_eq!(Environment::default().retention(), default);
    }

    #[test]
    fn a_build_name_without_its_time_is_rejected() {
        let read = |value: &'static str| {
            Environment::from(|name| (name == "MILLPOND_CODE_REF").then(|| value.into()))
        };
        for bad in [
            "foo",
            "2026",
            "20260101-abc",
            "20260101T000000\nx",
            "20260101T00000x",
        ] {
            let error = read(bad).expect_err("no build time");
            assert_eq!(error.variable, "MILLPOND_CODE_REF");
        }
        let good = read("20260101T000000-abc").unwrap();
        assert_eq!(good.code_ref.as_deref(), Some("20260101T000000-abc"));
    }

    #[test]
    fn invalid_secrets_are_not_repeated() {
        let read = |value: &'static str| {
            Environment::from(|name| (name == "MILLPOND_WEBHOOK_SECRETS").then(|| value.into()))
        };
        let error = read("hunter2").expect_err("no JSON");
        let text = format!("{error} {error:?}");
        assert!(
            text.contains("MILLPOND_WEBHOOK_SECRETS") && !text.contains("hunter2"),
            "{text}"
        );
        let good = read(r#"{"github": "hunter2"}"#).unwrap();
        assert!(!format!("{good:?}").contains("hunter2"));
        assert!(good.webhook_secrets.is_some());
    }

    #[test]
    fn an_empty_variable_is_ignored() {
        let empty = Environment::from(|_| Some(OsString::new())).unwrap();
        assert!(empty.bucket.is_none() && empty.user.is_none() && !empty.no_color);
    }
}
