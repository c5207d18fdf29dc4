//! From the name that an operator types to an execution.

use millpond::client::{EngineError, Filter};
use millpond::domain::ExecutionId;

use super::context::CommandContext;
use super::error::Error;

/// Minimum number of characters of a partial id.
const MIN_CHARACTERS: usize = 4;
/// Maximum number of candidates in a message.
const MAX_CANDIDATES: usize = 3;

/// One execution, by id or by key.
#[derive(Debug, clap::Args)]
pub(crate) struct Named {
    /// The execution: its id, the beginning or end of it, or key:KEY
    #[arg(
        value_name = "EID",
        required_unless_present = "by_key",
        conflicts_with = "by_key"
    )]
    pub(crate) eid: Option<String>,
    /// The key with which the execution was started
    #[arg(long = "key", id = "by_key", value_name = "KEY")]
    pub(crate) key: Option<String>,
}

impl Named {
    /// The execution that is named.
    ///
    /// # Errors
    /// No execution matches, or more than one; the store failed.
    pub(crate) async fn eid(&self, context: &CommandContext) -> Result<ExecutionId, Error> {
        match (&self.key, &self.eid) {
            (Some(key), _) => keyed(context, key).await,
            (None, Some(text)) => eid(context, text).await,
            (None, None) => Err(Error::Usage(
                "no execution is named: pass EID or --key KEY".to_owned(),
            )),
        }
    }
}

/// The execution that `text` names: a whole id, a part, or `key:KEY`. No request for a whole
/// id, 1 G for a key; else 1 P for each 1,000 feed objects and mails.
///
/// # Errors
/// No execution matches, or more than one; the store failed.
pub(crate) async fn eid(context: &CommandContext, text: &str) -> Result<ExecutionId, Error> {
    if let Some(key) = text.strip_prefix("key:") {
        return keyed(context, key).await;
    }
    let text = text.to_ascii_lowercase();
    if let Ok(eid) = ExecutionId::parse(&text) {
        return Ok(eid);
    }
    let good = text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    if text.len() < MIN_CHARACTERS || !good {
        let what = format!(
            "invalid name of an execution: pass its id, at least {MIN_CHARACTERS} characters of the beginning or \
             end of its id, or key:KEY: got={text:?}"
        );
        return Err(Error::Usage(what));
    }
    let known = context.engine.known().await?;
    let fits = |eid: &&String| eid.starts_with(&text) || eid.ends_with(&text);
    let names: Vec<String> = known.iter().map(ToString::to_string).collect();
    let mut found = names.iter().filter(fits);
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(ExecutionId::parse(one)?),
        (None, _) => Err(Error::NotFound {
            what: format!("no execution has an id like {text}"),
            near: near(&text, &names),
        }),
        (Some(_), Some(_)) => {
            let count = names.iter().filter(fits).count();
            Err(Error::Ambiguous {
                what: format!("{count} executions match {text}; give more characters"),
                matches: names
                    .iter()
                    .filter(fits)
                    .take(MAX_CANDIDATES)
                    .cloned()
                    .collect(),
            })
        }
    }
}

/// The execution that was started with `key`.
async fn keyed(context: &CommandContext, key: &str) -> Result<ExecutionId, Error> {
    let eid = context.engine.newest_of(key).await?;
    let Err(error) = context.engine.status(eid).await else {
        return Ok(eid);
    };
    if !matches!(error, EngineError::UnknownExecution { .. }) {
        return Err(error.into());
    }
    let rows = context.engine.list(&Filter::default()).await?;
    let keys: Vec<String> = rows
        .into_iter()
        .filter_map(|row| row.dispatch_key)
        .collect();
    let near = near(key, &keys).into_iter().map(|key| format!("key:{key}"));
    Err(Error::NotFound {
        what: format!("no execution was started with the key {key:?}"),
        near: near.collect(),
    })
}

/// Adds similar ids to an error about an unknown execution.
pub(crate) async fn with_near(context: &CommandContext, error: EngineError) -> Error {
    let EngineError::UnknownExecution { eid } = &error else {
        return error.into();
    };
    let what = error.to_string();
    let Ok(known) = context.engine.known().await else {
        return error.into();
    };
    let names: Vec<String> = known.iter().map(ToString::to_string).collect();
    let near = near(&eid.to_string(), &names);
    Error::NotFound { what, near }
}

/// Names that differ from `text` in a few letters: the whole name, its beginning or its end.
pub(crate) fn near(text: &str, names: &[String]) -> Vec<String> {
    let length = text.chars().count();
    let max = (length / 3).clamp(1, 4);
    let mut scored: Vec<(usize, &String)> = names
        .iter()
        .map(|name| {
            let parts = [
                name.as_str(),
                name.get(..length).unwrap_or(name),
                name.get(name.len().saturating_sub(length)..)
                    .unwrap_or(name),
            ];
            let distance = |part: &&str| strsim::osa_distance(text, part);
            (parts.iter().map(distance).min().unwrap_or(usize::MAX), name)
        })
        .filter(|(distance, _)| *distance <= max)
        .collect();
    scored.sort();
    let best = scored.into_iter().take(MAX_CANDIDATES);
    best.map(|(_, name)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn a_typing_error_finds_the_name_that_was_meant() {
        let names = [
            "order".to_owned(),
            "reorder".to_owned(),
            "refund".to_owned(),
        ];
        assert_eq!(near("oder", &names)[0], "order");
        assert_eq!(near("refudn", &names), ["refund"]);
        assert!(near("zebra", &names).is_empty());
    }
}
