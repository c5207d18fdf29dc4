//! `--bill`: the requests that a command sent to the bucket, and what they cost.

use std::sync::{Arc, OnceLock};

use millpond_wrappers::{Bill, Metered, Prices};
use serde_json::json;

use super::streams::Streams;

/// The count of a command's requests, which outlives the command so that it can be reported.
#[derive(Default)]
pub(crate) struct CostMeter(OnceLock<Arc<Metered>>);

impl CostMeter {
    /// Takes the count of the bucket that a command has opened. A command opens one.
    pub(crate) fn attach(&self, metered: Arc<Metered>) {
        let _ = self.0.set(metered);
    }

    /// Prints the bill on stderr; nothing if no bucket was attached.
    pub(crate) fn report(&self, streams: &Streams) {
        let Some(metered) = self.0.get() else {
            return;
        };
        let prices = vec![Prices::s3_standard(), Prices::s3_express()];
        let bill = Bill::new(&metered.usage(), prices);
        if streams.json() {
            streams.note(json!({ "bill": bill }));
        } else {
            streams.note(bill);
        }
    }
}
