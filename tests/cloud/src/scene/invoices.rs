//! The invoices of the example, end to end: an upload starts one execution per line, some wait for
//! an approval that arrives by the API, some wait without one until their timer fires; then all are
//! archived. Between any two of these steps no process of the application is alive.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use invoice_approval::file::{Line, SAMPLE, parse};
use invoice_approval::invoice::Checked;
use invoice_approval::score::risk;
use invoice_approval::workflow::{APPROVAL, Terms};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use crate::scene::{Execution, Scene};

/// Timeout of every wait other than for a timer.
const PATIENCE: Duration = Duration::from_secs(400);

/// The number of invoices by verdict.
pub type Verdicts = BTreeMap<String, usize>;

/// The results.
#[derive(Debug)]
pub struct Outcome {
    /// Lines of the file.
    pub lines: usize,
    /// The expected verdicts.
    pub expected: Verdicts,
    /// The actual verdicts.
    pub verdicts: Verdicts,
    /// Payments in the bank's ledger.
    pub payments: usize,
    /// Ticks of the sweeper until the last timer fired.
    pub sweeps: usize,
    /// Processes that were alive while there was no work.
    pub alive: usize,
    /// Executions that were archived.
    pub archived: usize,
    /// Verdicts that the API returns for archived executions.
    pub reported: Verdicts,
    /// Messages in the dead-letter queues.
    pub dead: u64,
    /// Refused accesses.
    pub refused: Vec<String>,
}

/// The rule that starts the file's lines; the timeout of approvals is `patience`.
#[must_use]
pub fn rules(patience: Duration) -> String {
    let Terms {
        max_risk,
        patience_ms,
    } = terms(patience);
    format!(
        r#"
[[trigger]]
name = "invoices"
source = "s3"
via = "BUCKET-events"
bucket = "BUCKET"
prefix = "inbox/"
suffix = ".csv"
each = "csv-lines"
workflow = "invoice_approval"
input = {{ row = "$.line", terms = {{ max_risk = {max_risk}, patience_ms = {patience_ms} }} }}
"#
    )
}

fn terms(patience: Duration) -> Terms {
    let patience_ms = u64::try_from(patience.as_millis()).expect("it is short");
    Terms {
        patience_ms,
        ..Terms::default()
    }
}

/// A reviewer's decision about an invoice, by its position among the waiting ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Approve,
    Reject,
    Nothing,
}

const DECISIONS: [Decision; 3] = [Decision::Approve, Decision::Reject, Decision::Nothing];

/// Runs it, in a scene with the [`rules`] of this patience; `report` receives its progress.
///
/// # Panics
/// If an expected event does not occur.
pub async fn play(scene: &Scene, patience: Duration, report: &mut impl FnMut(String)) -> Outcome {
    let lines = parse(SAMPLE.as_bytes()).expect("the example's file is good");
    let terms = terms(patience);
    let begun = Instant::now();
    scene.upload("inbox/invoices.csv", SAMPLE).await;
    report(format!(
        "upload     inbox/invoices.csv, {} lines",
        lines.len()
    ));

    let all = scene.rest(lines.len(), PATIENCE).await;
    let mut alive = pause(scene, report).await;
    report(format!(
        "starter    one execution a line: {}",
        by_status(&all)
    ));
    let mut waiting: Vec<_> = all
        .iter()
        .filter(|each| each.status == "suspended")
        .collect();
    waiting.sort_by(|one, other| one.key.cmp(&other.key));
    let waited_for = lines.iter().filter(|line| is_risky(line, &terms)).count();
    assert_eq!(
        waiting.len(),
        waited_for,
        "who waits is who must, within {patience:?}"
    );

    for (execution, decision) in waiting.iter().zip(DECISIONS.iter().cycle()) {
        let approve = match decision {
            Decision::Approve => true,
            Decision::Reject => false,
            Decision::Nothing => continue,
        };
        let word = json!({"approve": approve, "by": "Grace Ødegård"});
        scene.signal(&execution.eid, APPROVAL, &word).await;
    }
    scene.calm(PATIENCE).await;
    let early = begun.elapsed() < patience;
    assert!(
        early,
        "the approvals took longer than anybody waits for them: {patience:?}"
    );
    alive += pause(scene, report).await;
    let all = scene.rest(lines.len(), PATIENCE).await;
    report(format!("approvals  by the API: {}", by_status(&all)));

    let mut sweeps = 0;
    loop {
        sweep(scene).await;
        sweeps += 1;
        alive += pause(scene, report).await;
        let all = scene.rest(lines.len(), PATIENCE).await;
        report(format!("sweeper    tick {sweeps}: {}", by_status(&all)));
        if all.iter().all(|each| each.status != "suspended") {
            break;
        }
        sleep_until(Instant::now() + scene.setting.sweep).await;
    }
    let expected = expected(
        &lines,
        &terms,
        &waiting
            .iter()
            .map(|each| each.key.clone())
            .collect::<Vec<_>>(),
    );
    let verdicts = verdicts(scene, &all).await;
    report(format!(
        "verdicts   {verdicts:?}, {} payments",
        scene.payments()
    ));

    let archived = archive(scene, lines.len()).await;
    alive += pause(scene, report).await;
    let reported = self::verdicts(scene, &all).await;
    report(format!(
        "retention  {archived} archived; their results: {reported:?}"
    ));
    scene.calm(PATIENCE).await;
    alive += pause(scene, report).await;
    Outcome {
        lines: lines.len(),
        expected,
        verdicts,
        payments: scene.payments(),
        sweeps,
        alive,
        archived,
        reported,
        dead: scene.dead_letters().await,
        refused: Vec::from_iter(scene.stack.refused()),
    }
}

async fn sweep(scene: &Scene) {
    let swept = scene.sweep().await;
    swept.expect("the sweeper answers");
    scene.calm(PATIENCE).await;
}

/// Ticks until all are archived; returns their number.
async fn archive(scene: &Scene, count: usize) -> usize {
    let mut archived = 0;
    scene
        .until("all are archived", PATIENCE, async || {
            scene.retain().await.expect("the retention answers");
            let all = scene.executions().await;
            archived = all.iter().filter(|each| each.archived).count();
            archived == count
        })
        .await;
    archived
}

/// Ends all idle instances, as Lambda does over time; returns the number of remaining processes.
async fn pause(scene: &Scene, report: &mut impl FnMut(String)) -> usize {
    let ended = scene.stack.retire().await;
    let alive = scene.stack.instances();
    report(format!(
        "           {ended} idle instances ended, {alive} processes alive"
    ));
    alive
}

fn is_risky(line: &Line, terms: &Terms) -> bool {
    line.row
        .check()
        .is_ok_and(|invoice| risk(&invoice) > terms.max_risk)
}

/// The expected verdicts of the lines; `waiting` are the keys of the waiting ones, in order.
fn expected(lines: &[Line], terms: &Terms, waiting: &[Option<String>]) -> Verdicts {
    let mut verdicts = Verdicts::new();
    for line in lines {
        let verdict = match line.row.check().map_or_else(Checked::Bad, Checked::Good) {
            Checked::Bad(_) => "invalid",
            Checked::Good(invoice) if risk(&invoice) <= terms.max_risk => "paid",
            Checked::Good(_) => continue,
        };
        *verdicts.entry(verdict.to_owned()).or_default() += 1;
    }
    for (_, decision) in waiting.iter().zip(DECISIONS.iter().cycle()) {
        let verdict = match decision {
            Decision::Approve => "paid",
            Decision::Reject => "rejected",
            Decision::Nothing => "expired",
        };
        *verdicts.entry(verdict.to_owned()).or_default() += 1;
    }
    verdicts
}

/// The verdicts of the executions, by the API.
async fn verdicts(scene: &Scene, all: &[Execution]) -> Verdicts {
    let mut verdicts = Verdicts::new();
    for execution in all {
        let reply = scene
            .get(&format!("/executions/{}/result", execution.eid))
            .await;
        let verdict = match &reply.body["value"]["outcome"] {
            Value::String(outcome) => outcome.clone(),
            _ => format!("{} {}", reply.status, reply.body),
        };
        *verdicts.entry(verdict).or_default() += 1;
    }
    verdicts
}

fn by_status(all: &[Execution]) -> String {
    let mut counts = BTreeMap::<_, usize>::new();
    for execution in all {
        *counts.entry(execution.status.as_str()).or_default() += 1;
    }
    let counts: Vec<_> = counts
        .into_iter()
        .map(|(status, count)| format!("{count} {status}"))
        .collect();
    counts.join(", ")
}

impl Outcome {
    /// All violations.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let paid = self.expected.get("paid").copied().unwrap_or(0);
        let all = [
            (
                self.verdicts == self.expected,
                format!("verdicts {:?}, not {:?}", self.verdicts, self.expected),
            ),
            (
                self.reported == self.expected,
                format!(
                    "reported once archived: {:?}, not {:?}",
                    self.reported, self.expected
                ),
            ),
            (
                self.payments == paid,
                format!("{} payments for {paid} invoices", self.payments),
            ),
            (
                self.archived == self.lines,
                format!("{} of {} archived", self.archived, self.lines),
            ),
            (
                self.alive == 0,
                format!("{} processes alive between events", self.alive),
            ),
            (self.dead == 0, format!("{} dead letters", self.dead)),
            (
                self.refused.is_empty(),
                format!("not allowed: {:?}", self.refused),
            ),
        ];
        all.into_iter()
            .filter(|(well, _)| !well)
            .map(|(_, what)| what)
            .collect()
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            lines,
            verdicts,
            payments,
            sweeps,
            archived,
            dead,
            ..
        } = self;
        write!(
            f,
            "{lines} invoices: {verdicts:?}; {payments} payments, {sweeps} sweeps, {archived} archived, {dead} dead letters"
        )
    }
}
