//! The checks of a bucket, below a prefix of their own.

use std::sync::Arc;

use millpond::client::chain;
use millpond_conformance::{Finding, Probe, Scale, Subject, Violation};

use super::latency::Latency;
use super::permissions::{Missing, missing};
use super::skew::{Skew, skew};
use super::target::Target;

/// Enough to catch a store without conditional writes, and to turn two pages of 1,000 keys.
const SCALE: Scale = Scale {
    keys: 2_501,
    racers: 16,
    rounds: 4,
    large: 1 << 20,
    wide: 32,
};

/// The results.
#[derive(Debug, Default)]
pub(super) struct Checks {
    /// Missing permissions. If there are any, nothing else is checked.
    pub(super) missing: Vec<Missing>,
    pub(super) latency: Option<Latency>,
    pub(super) skew: Option<Skew>,
    /// The probes passed, in the order they were run.
    pub(super) passed: Vec<Probe>,
    /// The first probe that failed: the bucket is rejected.
    pub(super) violation: Option<Violation>,
    /// Why the store could not be checked, or the objects of the checks not deleted.
    pub(super) trouble: Option<String>,
}

impl Checks {
    /// Runs all checks, and deletes their objects. `announce` is called before each probe.
    pub(super) async fn on(target: &Target, announce: &(dyn Fn(Probe) + Sync)) -> Self {
        let mut checks = Self::default();
        let mut subject = Subject::new(Arc::clone(&target.bucket), &target.prefix).scaled(SCALE);
        if let Some(spawner) = &target.spawner {
            subject = subject.racing_on(Arc::clone(spawner));
        }
        if let Err(error) = checks.run(target, &subject, announce).await {
            checks.trouble = Some(chain(&error));
        }
        // If a permission is missing, only the one object of that check was written, and it was deleted there.
        if checks.missing.is_empty()
            && let Err(finding) = subject.clear().await
        {
            let why = chain(&finding);
            let why = format!(
                "objects of the checks could not be deleted: {why}: prefix={}",
                target.prefix
            );
            checks.trouble.get_or_insert(why);
        }
        checks
    }

    async fn run(
        &mut self,
        target: &Target,
        subject: &Subject,
        announce: &(dyn Fn(Probe) + Sync),
    ) -> Result<(), Finding> {
        self.missing = missing(target).await?;
        if !self.missing.is_empty() {
            return Ok(());
        }
        self.latency = Some(Latency::of(target).await?);
        self.skew = skew(target).await?;
        for probe in Probe::ALL {
            announce(probe);
            match probe.run(subject).await {
                Ok(()) => self.passed.push(probe),
                Err(violation) => {
                    self.violation = Some(violation);
                    break;
                }
            }
        }
        Ok(())
    }
}
