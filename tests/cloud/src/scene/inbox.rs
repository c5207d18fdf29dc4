//! Many uploads, whose events arrive one to three times and in any order: one start for each
//! version of an object. No worker runs the started executions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::{Duration, Instant};

use futures::{StreamExt as _, stream};
use millpond::client::{App, Filter};

use crate::lambda::Summary;
use crate::proxy::Counts;
use crate::queue;
use crate::scene::Scene;
use crate::scene::storm::RULES;

/// The rule that starts them.
pub const RULE: &str = RULES;
/// Number of concurrent uploads.
const AT_ONCE: usize = 32;

/// The results.
#[derive(Debug)]
pub struct Outcome {
    /// Uploads: versions of objects.
    pub uploads: usize,
    /// Objects.
    pub objects: usize,
    /// The duration of the uploads.
    pub uploaded: Duration,
    /// The time until all events were processed.
    pub took: Duration,
    /// Executions.
    pub started: usize,
    /// Violations.
    pub wrong: Vec<String>,
    /// The activity of the starter's mapping.
    pub mapping: queue::Counts,
    /// Requests of the starter.
    pub requests: Counts,
    /// Its invocations.
    pub invocations: Summary,
}

/// The name of number `n`: every fifth contains characters that encodings often corrupt.
fn name(n: usize) -> String {
    let odd = [
        "a b",
        "a+b",
        "a%2Fb",
        "a%20b",
        "\u{1f680}",
        "\u{fc}/\u{df}",
        "a&b=c",
        "a%2Bb",
    ];
    match n % 5 {
        0 => format!("inbox/{n:05}/{}", odd[n / 5 % odd.len()]),
        _ => format!("inbox/{n:05}"),
    }
}

/// Objects, each with its number of versions: every seventh is deleted and created again.
fn plan(uploads: usize) -> BTreeMap<String, usize> {
    let mut left = uploads;
    let mut all = BTreeMap::new();
    for n in 0.. {
        let versions = if n % 7 == 3 { 2 } else { 1 }.min(left);
        if versions == 0 {
            break;
        }
        left -= versions;
        all.insert(name(n), versions);
    }
    all
}

/// Uploads, and waits until all queues are empty and all instances are idle.
///
/// # Panics
/// If the server rejects a request, or the time is exceeded.
pub async fn receive(scene: &Scene, uploads: usize, patience: Duration) -> Outcome {
    let objects = plan(uploads);
    let begun = Instant::now();
    stream::iter(&objects)
        .map(async |(key, versions)| {
            for version in 1..=*versions {
                if version > 1 {
                    scene.remove(key).await;
                }
                // The bytes differ, since LocalStack's sequencers are all equal.
                scene.upload(key, format!("{key} {version}")).await;
            }
        })
        .buffer_unordered(AT_ONCE)
        .collect::<()>()
        .await;
    let uploaded = begun.elapsed();
    scene.calm(patience).await;
    let took = begun.elapsed();
    let engine = scene.engine(App::new()).await;
    let rows = engine.list(&Filter::default()).await;
    let rows = rows.expect("the store answers");
    let before = format!("storm:{}/", scene.stack.bucket);
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in &rows {
        let key = row.dispatch_key.as_deref().unwrap_or_default();
        match key
            .strip_prefix(&before)
            .and_then(|key| key.rsplit_once('@'))
        {
            Some((object, version)) => drop(
                seen.entry(object.to_owned())
                    .or_default()
                    .insert(version.to_owned()),
            ),
            None => wrong.push(format!("started by another key: {key:?}")),
        }
    }
    for (key, versions) in &objects {
        let starts = seen.remove(key).map_or(0, |versions| versions.len());
        if starts != *versions {
            wrong.push(format!(
                "{key:?} has {versions} versions, and {starts} starts"
            ));
        }
    }
    wrong.extend(
        seen.into_keys()
            .map(|key| format!("there is no object {key:?}")),
    );
    let dead = scene.dead_letters().await;
    if dead > 0 {
        wrong.push(format!("{dead} dead letters"));
    }
    wrong.extend(scene.stack.refused());
    Outcome {
        uploads,
        objects: objects.len(),
        uploaded,
        took,
        started: rows.len(),
        wrong,
        mapping: scene.stack.mapping("StarterFunctionEvent").counts(),
        requests: scene.stack.proxy("StarterFunction").counts(),
        invocations: Summary::of(&scene.stack.function("StarterFunction").reports()),
    }
}

impl Outcome {
    /// All violations.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let mut faults = self.wrong.clone();
        if self.started != self.uploads {
            faults.push(format!(
                "{} uploads, {} executions",
                self.uploads, self.started
            ));
        }
        if self.mapping.copies == 0 {
            faults.push("no event came twice".to_owned());
        }
        faults
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (uploaded, took) = (self.uploaded.as_secs_f64(), self.took.as_secs_f64());
        writeln!(
            f,
            "{} uploads of {} objects in {uploaded:.0} s, all done with after {took:.0} s: {} executions",
            self.uploads, self.objects, self.started
        )?;
        let mapping = &self.mapping;
        writeln!(
            f,
            "  events: {} received, {} copied, {} delivered, {} reported, {} failed with their batch",
            mapping.received, mapping.copies, mapping.delivered, mapping.reported, mapping.failed
        )?;
        writeln!(f, "  {}", self.invocations)?;
        let uploads = self.uploads.max(1) as f64;
        writeln!(
            f,
            "  {}; an upload: {:.2} write requests",
            self.requests,
            self.requests.write_requests() as f64 / uploads
        )
    }
}
