//! Chains of invocations, counted as Lambda counts them to find loops.
//!
//! The trace header of an invocation contains a lineage: how often each function was invoked in the chain
//! that led to it. The AWS SDK in a function sends the header with its requests; SQS keeps it with a message,
//! and S3 with the notification of an object. The invocation for such a message is one hop more. After 16 hops
//! Lambda stops the chain, unless the function has `RecursiveLoop: Allow`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use percent_encoding::percent_decode_str;
use serde_json::Value;

/// The invocations of one function in a chain after which Lambda stops it.
pub const MOST_HOPS: u64 = 16;

/// How often each function was invoked in a chain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lineage(BTreeMap<String, u64>);

impl Lineage {
    /// Reads the lineage of a trace header.
    #[must_use]
    pub fn of_header(header: &str) -> Self {
        let mut parts = header.split(';').map(str::trim);
        let found = parts.find_map(|part| part.strip_prefix("Lineage="));
        let hops = found.into_iter().flat_map(|all| all.split('|'));
        let hops = hops.filter_map(|one| {
            let (function, count) = one.rsplit_once(':')?;
            Some((function.to_owned(), count.parse().ok()?))
        });
        Self(hops.collect())
    }

    /// The invocations of a function so far.
    #[must_use]
    pub fn hops(&self, function: &str) -> u64 {
        self.0.get(function).copied().unwrap_or_default()
    }

    /// The lineage of an invocation of `function` that this chain leads to.
    #[must_use]
    pub fn next(mut self, function: &str) -> Self {
        *self.0.entry(function.to_owned()).or_default() += 1;
        self
    }

    /// The longer of both chains, by function: those of the messages of one batch.
    #[must_use]
    pub fn or_longer(mut self, other: Self) -> Self {
        for (function, hops) in other.0 {
            let known = self.0.entry(function).or_default();
            *known = hops.max(*known);
        }
        self
    }
}

impl fmt::Display for Lineage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hops = self.0.iter().map(|(name, hops)| format!("{name}:{hops}"));
        f.write_str(&hops.collect::<Vec<_>>().join("|"))
    }
}

/// The lineages of the objects and messages that functions have written. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Chains(Arc<Mutex<BTreeMap<String, Lineage>>>);

impl Chains {
    /// Records the lineage of the object at `BUCKET/KEY`.
    pub(crate) fn object(&self, path: &str, lineage: Lineage) {
        self.set(format!("object {path}"), lineage);
    }

    /// Records the lineage of a message with this body.
    pub(crate) fn message(&self, body: &str, lineage: Lineage) {
        self.set(format!("message {body}"), lineage);
    }

    /// The lineage of a message: of itself, or of the objects that it names.
    pub(crate) fn of_message(&self, body: &str) -> Lineage {
        let value: Value = serde_json::from_str(body).unwrap_or_default();
        let records = value["Records"].as_array().into_iter().flatten();
        let objects = records.filter_map(|record| {
            let bucket = record["s3"]["bucket"]["name"].as_str()?;
            let key = record["s3"]["object"]["key"].as_str()?.replace('+', " ");
            let key = percent_decode_str(&key).decode_utf8_lossy();
            Some(self.get(&format!("object {bucket}/{key}")))
        });
        objects.fold(self.get(&format!("message {body}")), Lineage::or_longer)
    }

    fn set(&self, what: String, lineage: Lineage) {
        self.0
            .lock()
            .expect("no holder panics")
            .insert(what, lineage);
    }

    fn get(&self, what: &str) -> Lineage {
        let all = self.0.lock().expect("no holder panics");
        all.get(what).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lineage_survives_its_header() {
        let two = Lineage::default().next("a-b").next("c").next("a-b");
        let header = format!("Root=1-2-3;Parent=4;Sampled=0;Lineage={two}");
        assert_eq!(Lineage::of_header(&header), two);
        assert_eq!((two.hops("a-b"), two.hops("c"), two.hops("d")), (2, 1, 0));
        assert_eq!(Lineage::of_header("Root=1-2-3"), Lineage::default());
    }

    #[test]
    fn a_notification_has_the_lineage_of_its_object() {
        let chains = Chains::default();
        let one = Lineage::default().next("f");
        chains.object("b/mail/a b", one.clone());
        let body = r#"{"Records":[{"s3":{"bucket":{"name":"b"},"object":{"key":"mail/a+b"}}}]}"#;
        assert_eq!(chains.of_message(body), one);
        let two = one.clone().next("f");
        chains.message("hint", two.clone());
        assert_eq!(chains.of_message("hint"), two);
        assert_eq!(chains.of_message("other"), Lineage::default());
        assert_eq!(one.or_longer(two.clone()), two);
    }
}
