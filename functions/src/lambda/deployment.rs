//! The environment variables of a deployment on AWS Lambda.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

use millpond::domain::Queue;
use millpond_wakeups::sqs::LONGEST_DELAY;

use crate::environment::{EnvironmentError, seconds};

/// What a function does.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, strum::Display, strum::EnumString, strum::VariantNames,
)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Role {
    /// Runs executions.
    Worker,
    /// Sends hints of timers and old mail.
    Sweeper,
    /// Archives ended executions.
    Retention,
    /// Starts and signals executions for events.
    Starter,
    /// Answers HTTP.
    Api,
}

/// The configuration of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deployment {
    /// `MILLPOND_ROLE`.
    pub(crate) role: Role,
    /// `MILLPOND_QUEUES`: where hints are sent, by queue.
    pub(crate) queues: BTreeMap<Queue, String>,
    /// `MILLPOND_SWEEP`: the sweeper's period.
    pub(crate) sweep: Duration,
    /// `AWS_LAMBDA_FUNCTION_NAME`.
    pub(crate) function: String,
    /// `AWS_LAMBDA_FUNCTION_MEMORY_SIZE`, in bytes.
    pub(crate) memory: Option<usize>,
}

/// The default period of the sweeper: that of the schedule in the template.
const SWEEP: Duration = Duration::from_secs(60);

impl Deployment {
    /// Reads the variables.
    ///
    /// # Errors
    /// [`EnvironmentError`] names the first invalid variable.
    pub(crate) fn read(
        lookup: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, EnvironmentError> {
        let text = |variable: &'static str| {
            let value = lookup(variable).filter(|value| !value.is_empty());
            let value = value.map(OsString::into_string);
            value.transpose().map_err(|value| EnvironmentError {
                variable,
                why: "must be UTF-8 text",
                value,
            })
        };
        let wrong = |variable, why, value: String| EnvironmentError {
            variable,
            why,
            value: value.into(),
        };
        let role = text("MILLPOND_ROLE")?.unwrap_or_default();
        let role = role.parse().map_err(|_| {
            let why = "must be worker, sweeper, retention, starter or api";
            wrong("MILLPOND_ROLE", why, role)
        })?;
        let queues = text("MILLPOND_QUEUES")?.unwrap_or_default();
        let queues = self::queues(&queues).map_err(|why| wrong("MILLPOND_QUEUES", why, queues))?;
        let sweep = match text("MILLPOND_SWEEP")? {
            None => SWEEP,
            Some(value) => {
                let why = "must be a number of seconds of at most 900, the longest delay of SQS";
                let sweep = seconds(&value).ok().filter(|sweep| *sweep <= LONGEST_DELAY);
                sweep.ok_or_else(|| wrong("MILLPOND_SWEEP", why, value))?
            }
        };
        Ok(Self {
            role,
            queues,
            sweep,
            memory: match text("AWS_LAMBDA_FUNCTION_MEMORY_SIZE")? {
                None => None,
                Some(value) => {
                    let megabytes = value.parse::<usize>().ok();
                    let bytes = megabytes.and_then(|megabytes| megabytes.checked_mul(1 << 20));
                    let why = "must be a whole number of megabytes";
                    let variable = "AWS_LAMBDA_FUNCTION_MEMORY_SIZE";
                    Some(bytes.ok_or_else(|| wrong(variable, why, value))?)
                }
            },
            function: text("AWS_LAMBDA_FUNCTION_NAME")?.unwrap_or_else(|| "millpond".to_owned()),
        })
    }
}

/// `default=https://...,slow=https://...`.
fn queues(text: &str) -> Result<BTreeMap<Queue, String>, &'static str> {
    let rule = "must be a list NAME=URL,NAME=URL in which each name occurs once";
    let mut queues = BTreeMap::new();
    for part in text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let (name, url) = part.split_once('=').ok_or(rule)?;
        let name = Queue::parse(name.trim()).map_err(|_| rule)?;
        let web = url.starts_with("https://") || url.starts_with("http://");
        if !web || queues.insert(name, url.to_owned()).is_some() {
            return Err(rule);
        }
    }
    Ok(queues)
}

#[cfg(test)]
mod tests {
    use strum::VariantNames as _;

    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Deployment, EnvironmentError> {
        Deployment::read(|name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn queues_are_named_with_their_urls() {
        let url = "https://sqs.eu-central-1.amazonaws.com/1/a";
        let both = format!("default={url}, slow=http://localhost:1/b");
        let read = read(&[("MILLPOND_ROLE", "worker"), ("MILLPOND_QUEUES", &both)]).unwrap();
        assert_eq!(read.queues.len(), 2);
        assert_eq!(read.queues[&Queue::default()], url);
        assert_eq!((read.role, read.sweep), (Role::Worker, SWEEP));
    }

    #[test]
    fn each_role_is_selected_by_its_name() {
        let wrong = read(&[("MILLPOND_ROLE", "boss")]).expect_err("not a role");
        for name in Role::VARIANTS {
            let read = read(&[("MILLPOND_ROLE", name)]).unwrap();
            assert_eq!(read.role.to_string(), *name);
            assert!(wrong.why.contains(name), "{wrong}");
        }
    }

    #[test]
    fn an_invalid_variable_is_named_with_what_it_must_be() {
        for (variable, value) in [
            ("MILLPOND_ROLE", ""),
            ("MILLPOND_ROLE", "boss"),
            ("MILLPOND_QUEUES", "default"),
            ("MILLPOND_QUEUES", "UPPER/=https://a"),
            ("MILLPOND_QUEUES", "default=sqs:a"),
            ("MILLPOND_QUEUES", "a=https://a,a=https://b"),
            ("MILLPOND_SWEEP", "never"),
            ("MILLPOND_SWEEP", "901"),
        ] {
            let mut variables = vec![(variable, value), ("MILLPOND_ROLE", "api")];
            variables.dedup_by_key(|(name, _)| *name);
            let error = read(&variables).expect_err(value);
            assert_eq!(error.variable, variable);
            assert!(error.to_string().contains("must be"), "{error}");
        }
    }
}
