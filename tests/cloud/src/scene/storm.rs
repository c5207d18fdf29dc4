//! A storm: all faults at once, with events duplicated, shuffled and lost, and workers killed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;

use crate::lambda::Summary;
use crate::proxy::Counts;
use crate::scene::Scene;

/// Requests of one execution of three steps by the price list: N + 5 of the write class.
const WRITES: u64 = 8;
/// Requests of the read class: two, and one to check its key.
const READS: u64 = 3;
/// Maximum number of executions that a worker processes: one for each message of its batch.
const IN_HAND: u64 = 10;
/// The additional cost of each of them if that worker is killed: a list, and to acquire it.
const AGAIN: u64 = 2;
/// Number of concurrent uploads or calls.
const AT_ONCE: usize = 24;

/// How executions are started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// By uploads to the inbox, and a rule of the starter.
    Upload,
    /// By calls of the API.
    Api,
}

/// The parameters of a storm.
#[derive(Debug, Clone)]
pub struct Options {
    /// The number of executions.
    pub count: usize,
    /// How they are started.
    pub by: By,
    /// The interval at which an instance of the worker is killed; `None`: never.
    pub kill_every: Option<Duration>,
    /// The timeout.
    pub patience: Duration,
}

/// The results.
#[derive(Debug)]
pub struct Outcome {
    /// The number of requested executions.
    pub asked: usize,
    /// The time until all queues were empty and all instances idle.
    pub took: Duration,
    /// Executions by status.
    pub statuses: BTreeMap<String, usize>,
    /// Executions whose key another execution also has.
    pub doubled: usize,
    /// Steps without any attempt.
    pub missed: usize,
    /// Attempts at steps.
    pub attempts: usize,
    /// Messages in the dead-letter queues.
    pub dead: u64,
    /// Instances killed.
    pub killed: u64,
    /// The activity of the worker's mapping.
    pub mapping: crate::queue::Counts,
    /// Duplicate deliveries of uploads.
    pub copies: u64,
    /// Requests of each function.
    pub requests: BTreeMap<String, Counts>,
    /// Invocations of each function.
    pub invocations: BTreeMap<String, Summary>,
    /// Refused accesses.
    pub refused: BTreeSet<String>,
}

/// The rule that uploads start executions by.
pub const RULES: &str = r#"
[[trigger]]
name = "storm"
source = "s3"
via = "BUCKET-events"
bucket = "BUCKET"
prefix = "inbox/"
workflow = "three"
input = "$.detail.object.key"
"#;

/// Runs a storm, and waits until it is over.
///
/// # Panics
/// If it is not over in that time.
pub async fn storm(scene: &Scene, options: &Options) -> Outcome {
    let begun = Instant::now();
    let sweeping = scene.sweeping();
    let killing = options
        .kill_every
        .map(|every| scene.killing("WorkerFunction", every));
    let tags: Vec<_> = (0..options.count)
        .map(|number| format!("inbox/{number:05}"))
        .collect();
    match options.by {
        By::Upload => upload(scene, &tags).await,
        By::Api => call(scene, &tags).await,
    }
    let done = || {
        let notes = scene.notes();
        let done = notes.iter().filter(|note| note.step == "three");
        done.map(|note| &note.tag).collect::<BTreeSet<_>>().len()
    };
    // Each kill would affect the last ones, and a step that is lost four times in a row has failed.
    let most = tags.len() - tags.len().div_ceil(10);
    scene
        .until("most steps have run", options.patience, async || {
            done() >= most
        })
        .await;
    let killed = killing.as_ref().map_or(0, crate::scene::Killing::killed);
    drop(killing);
    scene
        .until("all steps have run", options.patience, async || {
            done() == tags.len()
        })
        .await;
    let executions = scene.rest(options.count, options.patience).await;
    drop(sweeping);
    scene.calm(options.patience).await;
    let took = begun.elapsed();

    let mut statuses = BTreeMap::new();
    for execution in &executions {
        *statuses.entry(execution.status.clone()).or_default() += 1;
    }
    let keys: BTreeSet<_> = executions.iter().map(|execution| &execution.key).collect();
    let notes = scene.notes();
    let seen: BTreeSet<_> = notes
        .iter()
        .map(|note| (note.step.as_str(), note.tag.as_str()))
        .collect();
    let steps = tags
        .iter()
        .flat_map(|tag| ["one", "two", "three"].map(|step| (step, tag.as_str())));
    let names = || scene.stack.functions().map(str::to_owned);
    Outcome {
        asked: options.count,
        took,
        statuses,
        doubled: executions.len() - keys.len(),
        missed: steps.filter(|step| !seen.contains(step)).count(),
        attempts: notes.len(),
        dead: scene.dead_letters().await,
        killed,
        mapping: scene.stack.mapping("WorkerFunctionMail").counts(),
        copies: match options.by {
            By::Upload => scene.stack.mapping("StarterFunctionEvent").counts().copies,
            By::Api => 0,
        },
        requests: names()
            .map(|name| (name.clone(), scene.stack.proxy(&name).counts()))
            .collect(),
        invocations: scene
            .stack
            .reports()
            .iter()
            .map(|(name, all)| (name.clone(), Summary::of(all)))
            .collect(),
        refused: scene.stack.refused(),
    }
}

async fn upload(scene: &Scene, tags: &[String]) {
    let mut uploads = JoinSet::new();
    for tag in tags {
        let put = scene.s3.put_object().bucket(&scene.stack.bucket).key(tag);
        uploads.spawn(put.body(tag.clone().into_bytes().into()).send());
        if uploads.len() >= AT_ONCE {
            taken(uploads.join_next().await);
        }
    }
    while let Some(done) = uploads.join_next().await {
        taken(Some(done));
    }
}

fn taken<T, E: std::fmt::Debug>(done: Option<Result<Result<T, E>, tokio::task::JoinError>>) {
    let done = done.expect("there is one").expect("it does not panic");
    done.expect("the server takes the upload");
}

async fn call(scene: &Scene, tags: &[String]) {
    // As many callers as the API has instances: a throttled caller would have to retry.
    for some in tags.chunks(scene.setting.instances) {
        let calls = some.iter().map(|tag| scene.start("three", tag, json!(tag)));
        futures::future::join_all(calls).await;
    }
}

impl Outcome {
    /// Requests of all functions but the sweeper, whose cost does not depend on executions.
    #[must_use]
    pub fn spent(&self) -> Counts {
        let all = self
            .requests
            .iter()
            .filter(|(name, _)| *name != "SweeperFunction");
        all.fold(Counts::default(), |sum, (_, counts)| sum + *counts)
    }

    /// The write requests that the price list allows: each execution, a refused create for each
    /// duplicate of its upload (two deliveries with one key), and the executions of killed workers.
    /// A redundant message is allowed none.
    #[must_use]
    pub fn allowed(&self) -> u64 {
        let executions = u64::try_from(self.asked).expect("it is a count");
        executions * WRITES + self.copies + self.killed * IN_HAND * AGAIN
    }
}

impl Outcome {
    /// All violations.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut must = |so: bool, what: String| {
            if !so {
                faults.push(what);
            }
        };
        let completed = self.statuses.get("completed").copied().unwrap_or(0);
        must(
            completed == self.asked,
            format!("{completed} of {} completed", self.asked),
        );
        must(
            self.doubled == 0,
            format!("{} executions have another's key", self.doubled),
        );
        must(
            self.missed == 0,
            format!("{} steps were missed", self.missed),
        );
        must(self.dead == 0, format!("{} dead letters", self.dead));
        // Only a killed worker may leave an attempt without an outcome.
        let twice = self.attempts.saturating_sub(self.asked * 3);
        must(
            twice == 0 || self.killed > 0,
            format!("{twice} attempts too many, and nobody was killed"),
        );
        must(
            self.refused.is_empty(),
            format!("not allowed: {:?}", self.refused),
        );
        let (spent, allowed) = (self.spent().write_requests(), self.allowed());
        must(
            spent * 10 <= allowed * 11,
            format!("{spent} write requests, {allowed} are in the price list"),
        );
        faults
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let asked = self.asked.max(1) as f64;
        writeln!(
            f,
            "{} executions in {:.1} s: {:?}",
            self.asked,
            self.took.as_secs_f64(),
            self.statuses
        )?;
        writeln!(
            f,
            "  {} with another's key, {} steps missed, {} attempts at steps, {} dead letters",
            self.doubled, self.missed, self.attempts, self.dead
        )?;
        let mapping = &self.mapping;
        writeln!(
            f,
            "  messages: {} received, {} copied, {} lost, {} delivered, {} reported, {} failed with their batch",
            mapping.received,
            mapping.copies,
            mapping.lost,
            mapping.delivered,
            mapping.reported,
            mapping.failed
        )?;
        writeln!(f, "  {} instances killed", self.killed)?;
        for (name, summary) in &self.invocations {
            writeln!(f, "  {name}: {summary}")?;
        }
        for (name, counts) in &self.requests {
            writeln!(f, "  {name}: {counts}")?;
        }
        let spent = self.spent();
        writeln!(
            f,
            "  an execution: {:.2} write and {:.2} read requests; the price list: {WRITES} and {READS}, and {:.2} write requests with {} copies of uploads and {} kills",
            spent.write_requests() as f64 / asked,
            spent.gets as f64 / asked,
            self.allowed() as f64 / asked,
            self.copies,
            self.killed
        )?;
        for refused in &self.refused {
            writeln!(f, "  not allowed: {refused}")?;
        }
        Ok(())
    }
}
