//! Metrics in CloudWatch's embedded metric format: one log line per invocation, from which CloudWatch
//! creates metrics without a request.
//!
//! Metrics with the value zero are left out: CloudWatch bills a metric for each hour in which it is
//! written, and a sweep without results should cost nothing. Namespace `Millpond`, by `FunctionName`:
//!
//! | metric | unit | meaning |
//! |---|---|---|
//! | `Runs`, `Steps`, `Commits`, `Conflicts` | Count | what the engine did |
//! | `Reads`, `Creates`, `Replaces`, `Deletes`, `Lists` | Count | requests to the bucket |
//! | `Throttled` | Count | requests that the store throttled |
//! | `MailLag` | Milliseconds | from sending a message to its run |
//! | `TimerLag` | Milliseconds | from the time of a timer to its run |
//! | `Failed`, `Malformed` | Count | messages that are delivered again; invalid records |
//! | `Hints` | Count | hints that the sweeper sent |
//! | `Starts` | Count | executions that the starter started |
//! | `Archived`, `Freed`, `Broken` | Count | executions that retention archived; those whose keys became free; executions it cannot read |
//! | `ColdStarts` | Count | processes |

use std::io::Write as _;
use std::time::Duration;

use jiff::Timestamp;
use millpond::client::Counts;
use millpond::ports::Verb;
use millpond_wrappers::Usage;
use serde_json::{Map, Value, json};

use super::context::Cloud;
use crate::roles::Batch;

/// Maximum number of values of a metric in one line, a limit of CloudWatch.
const MAX_VALUES: usize = 100;

/// The metrics of one invocation.
#[derive(Debug)]
pub(super) struct Metrics {
    request_id: String,
    cold: bool,
    counts: Counts,
    usage: Usage,
    mail_lag: Vec<Duration>,
    timer_lag: Vec<Duration>,
    pub(super) failed: u64,
    pub(super) malformed: u64,
    pub(super) hints: u64,
    pub(super) starts: u64,
    pub(super) archived: u64,
    pub(super) freed: u64,
    pub(super) broken: u64,
}

impl Metrics {
    /// Starts at the current counts.
    pub(super) fn begin(cloud: &Cloud, request_id: &str) -> Self {
        let (counts, usage) = (cloud.engine.counts(), cloud.metered().usage());
        Self::since(request_id, cloud.is_cold(), counts, usage)
    }

    /// Starts at these counts.
    pub(super) fn since(request_id: &str, cold: bool, counts: Counts, usage: Usage) -> Self {
        Self {
            request_id: request_id.to_owned(),
            cold,
            counts,
            usage,
            mail_lag: Vec::new(),
            timer_lag: Vec::new(),
            failed: 0,
            malformed: 0,
            hints: 0,
            starts: 0,
            archived: 0,
            freed: 0,
            broken: 0,
        }
    }

    /// Adds the results of a batch.
    pub(super) fn batch(&mut self, batch: &Batch) {
        self.failed += batch.failed.len() as u64 + u64::from(batch.whole_failed);
        for served in &batch.served {
            self.mail_lag.extend(served.waited);
            self.timer_lag.extend(served.late);
        }
    }

    pub(super) fn write(self, cloud: &Cloud) {
        let counts = cloud.engine.counts().since(self.counts);
        let usage = cloud.metered().usage().since(&self.usage);
        let (function, role) = (&cloud.deployment.function, cloud.role().to_string());
        let line = self.line(cloud.clock().now(), function, &role, counts, &usage);
        if line["_aws"]["CloudWatchMetrics"][0]["Metrics"][0].is_object() {
            // If stdout is closed, nothing can report it.
            let _ = writeln!(std::io::stdout().lock(), "{line}");
        }
    }

    /// The line.
    pub(super) fn line(
        &self,
        now: Timestamp,
        function: &str,
        role: &str,
        counts: Counts,
        usage: &Usage,
    ) -> Value {
        let verb = |verb| usage.by_verb(verb).requests;
        let numbers = [
            ("Runs", counts.runs),
            ("Steps", counts.attempts),
            ("Commits", counts.commits),
            ("Conflicts", counts.conflicts),
            ("Undelivered", counts.undelivered),
            ("Reads", verb(Verb::Read)),
            ("Creates", verb(Verb::Create)),
            ("Replaces", verb(Verb::Replace)),
            ("Deletes", verb(Verb::Delete)),
            ("Lists", verb(Verb::List)),
            ("Throttled", usage.total().throttled),
            ("Failed", self.failed),
            ("Malformed", self.malformed),
            ("Hints", self.hints),
            ("Starts", self.starts),
            ("Archived", self.archived),
            ("Freed", self.freed),
            ("Broken", self.broken),
            ("ColdStarts", u64::from(self.cold)),
        ];
        let lags = [("MailLag", &self.mail_lag), ("TimerLag", &self.timer_lag)];
        let mut line = Map::new();
        let mut metrics = Vec::new();
        for (name, number) in numbers.into_iter().filter(|(_, number)| *number > 0) {
            metrics.push(json!({"Name": name, "Unit": "Count"}));
            line.insert(name.to_owned(), number.into());
        }
        for (name, lag) in lags.into_iter().filter(|(_, lag)| !lag.is_empty()) {
            metrics.push(json!({"Name": name, "Unit": "Milliseconds"}));
            let values = lag
                .iter()
                .take(MAX_VALUES)
                .map(|lag| lag.as_secs_f64() * 1e3);
            line.insert(name.to_owned(), values.collect::<Vec<f64>>().into());
        }
        line.insert("FunctionName".to_owned(), function.into());
        line.insert("Role".to_owned(), role.into());
        line.insert("RequestId".to_owned(), self.request_id.clone().into());
        let described = json!({
            "Timestamp": now.as_millisecond(),
            "CloudWatchMetrics": [{
                "Namespace": "Millpond",
                "Dimensions": [["FunctionName"]],
                "Metrics": metrics,
            }],
        });
        line.insert("_aws".to_owned(), described);
        Value::Object(line)
    }
}
