//! All that a bucket is asked under a prefix of its own.

use std::sync::Arc;

use millpond::client::chain;
use millpond::keys::Key;
use millpond::ports::{Bucket, Clock, Spawner};
use millpond_conformance::{Finding, Probe, Scale, Subject, Violation};
use millpond_host::StoreTime;

use super::latency::Latency;
use super::permissions::{Missing, missing};
use super::skew::{Skew, skew};
use crate::bucket::Names;

/// Enough to catch a store without conditional writes, and to turn two pages of 1,000 keys.
const SCALE: Scale = Scale {
    keys: 2_501,
    racers: 16,
    rounds: 4,
    large: 1 << 20,
    wide: 32,
};

/// The bucket, and by what it is examined.
pub(super) struct Patient {
    pub(super) bucket: Arc<dyn Bucket>,
    pub(super) clock: Arc<dyn Clock>,
    /// Races on many threads; `None`: as one task.
    pub(super) spawner: Option<Arc<dyn Spawner>>,
    /// The store's clock, if its answers tell it.
    pub(super) time: Option<Arc<StoreTime>>,
    /// What permissions are called there.
    pub(super) names: Names,
    /// Where everything is written, and nobody else writes. Ends in `/`.
    pub(super) prefix: String,
}

impl Patient {
    pub(super) fn key(&self, name: &str) -> Result<Key, Finding> {
        Ok(Key::parse(&format!("{}{name}", self.prefix))?)
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Exam {
    /// What we may not do. Nothing else is asked then.
    pub(super) missing: Vec<Missing>,
    pub(super) latency: Option<Latency>,
    pub(super) skew: Option<Skew>,
    /// The probes passed, in the order they were run.
    pub(super) passed: Vec<Probe>,
    /// The first that was not: the bucket is refused.
    pub(super) violation: Option<Violation>,
    /// The store could not be asked, or what was written could not be deleted.
    pub(super) trouble: Option<String>,
}

impl Exam {
    /// Asks everything, and deletes what was written. Each probe is said before it is run.
    pub(super) async fn of(patient: &Patient, say: &(dyn Fn(Probe) + Sync)) -> Self {
        let mut exam = Self::default();
        let mut subject = Subject::new(Arc::clone(&patient.bucket), &patient.prefix).scaled(SCALE);
        if let Some(spawner) = &patient.spawner {
            subject = subject.racing_on(Arc::clone(spawner));
        }
        if let Err(error) = exam.ask(patient, &subject, say).await {
            exam.trouble = Some(chain(&error));
        }
        // With a permission missing nothing but its one object was written, and it went by itself.
        if exam.missing.is_empty()
            && let Err(finding) = subject.clear().await
        {
            let why = chain(&finding);
            let why = format!("{} could not be cleared: {why}", patient.prefix);
            exam.trouble.get_or_insert(why);
        }
        exam
    }

    async fn ask(
        &mut self,
        patient: &Patient,
        subject: &Subject,
        say: &(dyn Fn(Probe) + Sync),
    ) -> Result<(), Finding> {
        self.missing = missing(patient).await?;
        if !self.missing.is_empty() {
            return Ok(());
        }
        self.latency = Some(Latency::of(patient).await?);
        self.skew = skew(patient).await?;
        for probe in Probe::ALL {
            say(probe);
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
