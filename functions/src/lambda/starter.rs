//! The starter's shell.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::FutureExt as _;
use millpond::client::{Stop, chain};
use millpond_s3::{Fetched as Got, S3Bucket, Wanted};
use serde_json::Value;

use super::context::Cloud;
use super::failed::Failed;
use super::metrics::Metrics;
use crate::events::{Event, ObjectEvent};
use crate::roles::{Deadline, Fetched, Objects, ObjectsError, Outcome, Starter, starter as begin};
use crate::triggers::{LoadError, Own, Rules};

/// How long rules are cached before they are read again: 1 G each time, while there are events.
const KEPT: Duration = Duration::from_secs(60);

/// The work did not end in time.
#[derive(Debug, thiserror::Error)]
#[error("the store did not answer in time: the event must be retried")]
struct Late;

/// Starts and signals executions for an event.
pub(super) async fn starter(
    cloud: &Cloud,
    payload: Value,
    left: Duration,
    metrics: &mut Metrics,
) -> Result<Value, Failed> {
    let deadline = Deadline::within(&**cloud.clock(), left);
    let time = left.saturating_sub(deadline.handover);
    let until = cloud.clock().now().checked_add(time)?;
    let work = async {
        let role = role(cloud).await?;
        Ok::<_, Failed>(begin(&role, Event::read(payload), Some(until)).await)
    };
    // An interrupted event is retried, which is safe: every start and signal has a key.
    let in_time = deadline
        .keep(cloud.clock(), &Stop::default(), work.boxed())
        .await;
    let report = in_time.ok_or(Late)??;
    for outcome in report.outcomes() {
        match outcome {
            Outcome::Started { fresh: true, .. } => metrics.starts += 1,
            Outcome::Refused { .. } => metrics.malformed += 1,
            Outcome::Failed { .. } => metrics.failed += 1,
            _ => {}
        }
    }
    Ok(report.payload()?)
}

/// The role with the current rules; with the previous ones if these are invalid or cannot be read.
async fn role(cloud: &Cloud) -> Result<Arc<Starter>, Failed> {
    let now = cloud.clock().monotonic();
    let mut kept = cloud.starter.lock().await;
    if let Some((read, role)) = &*kept
        && now.saturating_sub(*read) < KEPT
    {
        return Ok(Arc::clone(role));
    }
    let role = match (fresh(cloud).await, &*kept) {
        (Ok(role), _) => Arc::new(role),
        (Err(error), Some((_, role))) => {
            let error = chain(error.as_ref());
            tracing::error!(%error, "cannot use the current rules: the previous ones stay in effect");
            Arc::clone(role)
        }
        (Err(error), None) => return Err(chain(error.as_ref()).into()),
    };
    *kept = Some((now, Arc::clone(&role)));
    Ok(role)
}

async fn fresh(cloud: &Cloud) -> Result<Starter, Failed> {
    let bucket = &cloud.engine.ports().bucket;
    let mut rules = cloud.rules.clone();
    match Rules::load(cloud.triggers.as_deref(), &**bucket).await {
        Ok(others) => rules.merge(others)?,
        // There may be rules in code only.
        Err(LoadError::Absent) if !rules.is_empty() => {}
        Err(error) => return Err(error.into()),
    }
    let own = Own::new(cloud.root.bucket.as_str(), &cloud.root.prefix);
    let objects = Arc::new(OfS3(Arc::clone(&cloud.s3)));
    let secrets = cloud.secrets.clone();
    let engine = cloud.engine.clone();
    let starter = Starter::new(engine, rules, Some(own), objects, secrets)?;
    Ok(match cloud.deployment.memory {
        // The rest is for the runtime, requests and responses.
        Some(memory) => starter.within(memory / 2),
        None => starter,
    })
}

/// Objects of any bucket of the region, read with the credentials of the function.
#[derive(Debug)]
struct OfS3(Arc<S3Bucket>);

#[async_trait]
impl Objects for OfS3 {
    async fn read(&self, object: &ObjectEvent, most: usize) -> Result<Fetched, ObjectsError> {
        let wanted = Wanted {
            bucket: &object.bucket,
            key: &object.key,
            version: object.version_id.as_deref(),
            etag: object.etag.as_deref(),
            most: most as u64,
        };
        match self.0.fetch(wanted).await {
            Ok(Got::Whole(bytes)) => Ok(Fetched::Whole(bytes)),
            Ok(Got::Absent) => Ok(Fetched::Gone),
            Ok(Got::Changed) => Ok(Fetched::Replaced),
            Ok(Got::TooLarge { bytes }) => Ok(Fetched::TooLarge { bytes }),
            Err(error) => Err(ObjectsError {
                bucket: object.bucket.clone(),
                key: object.key.clone(),
                why: chain(&error),
            }),
        }
    }
}
