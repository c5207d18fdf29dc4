//! Runs all probes in order.

use std::fmt;
use std::sync::Arc;

use millpond::ports::Bucket;

use crate::finding::{Finding, Violation};
use crate::probe::Probe;
use crate::subject::{Order, Subject};

/// The probes that a bucket has passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The probes, in the order they were run.
    pub passed: Vec<Probe>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.passed.iter().map(|probe| probe.as_str()).collect();
        write!(f, "passed: {}", names.join(", "))
    }
}

/// Runs every probe on `bucket`, under `prefix`, on one task and at the default [`Scale`] (about
/// 15,000 requests). [`Subject::run`] races on a spawner, or at another scale.
///
/// [`Scale`]: crate::Scale
///
/// # Errors
/// The first [`Violation`].
pub async fn conformance(bucket: Arc<dyn Bucket>, prefix: &str) -> Result<Report, Violation> {
    Subject::new(bucket, prefix).run().await
}

impl Subject {
    /// Runs every probe, and deletes the objects they wrote, even if a probe failed.
    ///
    /// # Errors
    /// The first [`Violation`]; nothing is written if the prefix is not empty.
    pub async fn run(&self) -> Result<Report, Violation> {
        let before = |finding| Violation {
            probe: Probe::Order,
            finding,
        };
        let found = self
            .list_all("", None, 1, Order::Own)
            .await
            .map_err(before)?;
        if let Some(first) = found.into_iter().next() {
            let key = first.key;
            return Err(before(Finding::Occupied { key }));
        }
        let mut passed = Vec::new();
        let mut ended = Ok(());
        for probe in Probe::ALL {
            ended = probe.run(self).await;
            if ended.is_err() {
                break;
            }
            passed.push(probe);
        }
        let cleared = self.clear().await.map_err(|finding| Violation {
            probe: Probe::Delete,
            finding,
        });
        // A probe's finding takes precedence over a failure of the cleanup after it.
        ended.and(cleared).map(|()| Report { passed })
    }
}
