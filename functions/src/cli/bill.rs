//! `--bill`: what a command has asked of the bucket, and what that costs.

use std::sync::{Arc, OnceLock};

use millpond_wrappers::{Bill, Metered, Prices};
use serde_json::json;

use super::Streams;

/// Where a desk leaves its count, so that it can be told when the command has ended.
#[derive(Default)]
pub(crate) struct Till(OnceLock<Arc<Metered>>);

impl Till {
    /// Keeps the count of a desk. A command opens one.
    pub(crate) fn keep(&self, metered: Option<&Arc<Metered>>) {
        if let Some(metered) = metered {
            let _ = self.0.set(Arc::clone(metered));
        }
    }

    /// Says the bill, beside the result. Nothing where nothing was counted.
    pub(crate) fn tell(&self, streams: &Streams) {
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
