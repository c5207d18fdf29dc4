//! Parses a function's response to a batch.

use std::collections::BTreeSet;

use serde_json::Value;

/// Which messages of a batch failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// These; all others are acknowledged. Empty: all are acknowledged.
    Failed(BTreeSet<String>),
    /// Lambda cannot interpret the response: all messages failed, for this reason.
    Nonsense(String),
}

/// Parses the response to a batch of the messages `ids`, as Lambda does: no response, `null`, and
/// an absent or empty list mean success; any other value that is not a list of identifiers of
/// messages of this batch fails the whole batch.
#[must_use]
pub fn verdict(answer: &[u8], ids: &BTreeSet<String>) -> Answer {
    if answer.is_empty() {
        return Answer::Failed(BTreeSet::new());
    }
    let nonsense =
        |why: &str| Answer::Nonsense(format!("{why}: {}", String::from_utf8_lossy(answer)));
    let value: Value = match serde_json::from_slice(answer) {
        Ok(value) => value,
        Err(error) => return nonsense(&error.to_string()),
    };
    let items = match (&value, value.get("batchItemFailures")) {
        (Value::Null, _) | (_, Some(Value::Null)) => return Answer::Failed(BTreeSet::new()),
        (Value::Object(fields), None) if fields.is_empty() => {
            return Answer::Failed(BTreeSet::new());
        }
        (_, Some(Value::Array(items))) => items,
        _ => return nonsense("no list batchItemFailures"),
    };
    let mut failed = BTreeSet::new();
    for item in items {
        match item["itemIdentifier"].as_str() {
            Some(id) if ids.contains(id) => failed.insert(id.to_owned()),
            Some(_) => return nonsense("an itemIdentifier that is not of this batch"),
            None => return nonsense("an item without itemIdentifier"),
        };
    }
    Answer::Failed(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(all: &[&str]) -> BTreeSet<String> {
        all.iter().map(|&id| id.to_owned()).collect()
    }

    #[test]
    fn nothing_reported_is_all_acknowledged() {
        for answer in [
            "",
            "null",
            "{}",
            r#"{"batchItemFailures":[]}"#,
            r#"{"batchItemFailures":null}"#,
        ] {
            assert_eq!(
                verdict(answer.as_bytes(), &ids(&["a"])),
                Answer::Failed(ids(&[])),
                "{answer}"
            );
        }
    }

    #[test]
    fn exactly_what_is_reported_failed() {
        let answer = br#"{"batchItemFailures":[{"itemIdentifier":"b"},{"itemIdentifier":"b"}]}"#;
        assert_eq!(
            verdict(answer, &ids(&["a", "b", "c"])),
            Answer::Failed(ids(&["b"]))
        );
    }

    #[test]
    fn an_answer_that_lambda_does_not_understand_fails_the_batch() {
        for answer in [
            "no json",
            "7",
            r#"{"batchItemFailure":[]}"#,
            r#"{"batchItemFailures":{}}"#,
            r#"{"batchItemFailures":["a"]}"#,
            r#"{"batchItemFailures":[{"itemIdentifier":""}]}"#,
            r#"{"batchItemFailures":[{"itemIdentifier":null}]}"#,
            r#"{"batchItemFailures":[{"id":"a"}]}"#,
            r#"{"batchItemFailures":[{"itemIdentifier":"a"},{"itemIdentifier":"z"}]}"#,
        ] {
            let verdict = verdict(answer.as_bytes(), &ids(&["a"]));
            assert!(
                matches!(verdict, Answer::Nonsense(_)),
                "{answer}: {verdict:?}"
            );
        }
    }
}
