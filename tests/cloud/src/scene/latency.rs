//! The latency from a call of the API to the resulting step, and its parts.

use std::fmt;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::scene::Scene;

/// Timeout of every wait.
const PATIENCE: Duration = Duration::from_secs(300);

/// One path from a call to a step.
#[derive(Debug, Clone, Copy, Default)]
pub struct Way {
    /// From before the call until the step runs.
    pub whole: Duration,
    /// Of it: in our functions, while none of their requests was in flight.
    pub ours: Duration,
    /// Of it: in requests of our functions to S3 and SQS.
    pub store: Duration,
}

impl Way {
    /// The rest: the caller's connection, the notification, the queue and its poller.
    #[must_use]
    pub fn transport(self) -> Duration {
        self.whole.saturating_sub(self.ours + self.store)
    }
}

/// The measurements.
#[derive(Debug, Clone, Default)]
pub struct Latency {
    /// From a start to the first step.
    pub start: Vec<Way>,
    /// From a message to the step after it.
    pub resume: Vec<Way>,
}

/// Starts executions and signals them, one after the other, with all functions warm.
///
/// # Panics
/// If an expected event does not occur.
pub async fn measure(scene: &Scene, count: usize) -> Latency {
    let mut latency = Latency::default();
    // The first one warms up the functions.
    for number in 0..=count {
        let tag = format!("latency-{number}");
        let begun = SystemTime::now();
        let eid = scene.start("approval", &tag, json!(tag)).await;
        let start = way(scene, begun, "before", &tag).await;
        let begun = SystemTime::now();
        scene.signal(&eid, "go", &json!("on")).await;
        let resume = way(scene, begun, "after", &tag).await;
        if number > 0 {
            latency.start.push(start);
            latency.resume.push(resume);
        }
    }
    latency
}

/// The path from a call at `begun` to the step.
async fn way(scene: &Scene, begun: SystemTime, step: &str, tag: &str) -> Way {
    let mut ran = None;
    scene
        .until("the step has run", PATIENCE, async || {
            let notes = scene.notes();
            ran = notes
                .iter()
                .find(|note| note.step == step && note.tag == tag)
                .map(|note| note.at);
            ran.is_some()
        })
        .await;
    // Reports are written when the invocations end.
    scene.calm(PATIENCE).await;
    let ran = ran.expect("it has run");
    let (mut work, mut requests) = (Vec::new(), Vec::new());
    for function in ["ApiFunction", "WorkerFunction"] {
        let reports = scene.stack.function(function).reports();
        work.extend(
            reports
                .iter()
                .map(|report| (report.begun, report.begun + report.took)),
        );
        let asked = scene.stack.proxy(function).asked();
        requests.extend(asked.iter().map(|asked| (asked.at, asked.at + asked.took)));
    }
    part(begun, ran, &work, &requests)
}

type Span = (SystemTime, SystemTime);

/// Attributes the time: to the store while any request was in flight, otherwise to our functions
/// while any of them worked.
fn part(from: SystemTime, to: SystemTime, work: &[Span], requests: &[Span]) -> Way {
    let store = covered(from, to, requests);
    let both = covered(from, to, &[work, requests].concat());
    let whole = to.duration_since(from).unwrap_or_default();
    Way {
        whole,
        ours: both - store,
        store,
    }
}

/// The part of the time between two instants that the spans cover.
fn covered(from: SystemTime, to: SystemTime, spans: &[Span]) -> Duration {
    let mut spans = spans.to_vec();
    spans.sort_unstable();
    let (mut covered, mut seen) = (Duration::ZERO, from);
    for (begin, end) in spans {
        let (begin, end) = (begin.max(seen), end.min(to));
        covered += end.duration_since(begin).unwrap_or_default();
        seen = seen.max(end);
    }
    covered
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, ways) in [
            ("start to first step", &self.start),
            ("signal to resume", &self.resume),
        ] {
            let column = |of: fn(&Way) -> Duration| {
                let mut all: Vec<_> = ways.iter().map(of).collect();
                all.sort_unstable();
                let at = |part: usize| all.get(all.len() * part / 100).copied().unwrap_or_default();
                format!(
                    "{:.1} ms (p95 {:.1})",
                    at(50).as_secs_f64() * 1e3,
                    at(95).as_secs_f64() * 1e3
                )
            };
            writeln!(
                f,
                "{name}, median of {}: {}",
                ways.len(),
                column(|way| way.whole)
            )?;
            writeln!(f, "  ours       {}", column(|way| way.ours))?;
            writeln!(f, "  S3 and SQS {}", column(|way| way.store))?;
            writeln!(f, "  transport  {}", column(|way| way.transport()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_way_overlap_nowhere_and_lie_within_it() {
        let begun = SystemTime::UNIX_EPOCH + Duration::from_secs(100);
        let span = |from: u64, to: u64| {
            let at = |millis| begun + Duration::from_millis(millis);
            (at(from), at(to))
        };
        let early = (
            begun - Duration::from_secs(1),
            begun + Duration::from_millis(5),
        );
        let requests = [early, span(20, 40), span(30, 50), span(70, 500)];
        let work = [span(10, 60), span(10, 60), span(65, 600)];
        let way = part(begun, span(0, 100).1, &work, &requests);
        let millis = [way.whole, way.ours, way.store, way.transport()].map(|time| time.as_millis());
        // Ours: 10 to 20, 50 to 60, 65 to 70. Theirs: 0 to 5, 20 to 50, 70 to 100.
        assert_eq!(millis, [100, 25, 65, 10]);
    }
}
