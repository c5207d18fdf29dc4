//! What is told of it.

use std::io;

use millpond::client::{Audit, Finding, chain};
use millpond_conformance::{Probe, Violation};
use serde_json::{Value, json};

use super::super::streams::Streams;
use super::super::text;
use super::concern::Concern;
use super::exam::{Exam, Patient};
use super::latency::Latency;
use super::permissions::{Verb, name};
use super::skew::Skew;

/// All that was found.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// The bucket, as people call it.
    place: String,
    /// Whether it was examined.
    examined: bool,
    pub(super) missing: Vec<Verb>,
    /// The missing permissions by name.
    permissions: Vec<&'static str>,
    latency: Option<Latency>,
    skew: Option<Skew>,
    passed: Vec<Probe>,
    violation: Option<Violation>,
    pub(super) findings: Vec<Concern>,
    /// What is worth a word, and wrong with nothing.
    pub(super) notes: Vec<String>,
    pub(super) audit: Option<Audit>,
}

impl Report {
    /// Nothing was found at `place` yet.
    pub(super) fn new(place: String) -> Self {
        Self {
            place,
            ..Self::default()
        }
    }

    /// Takes over what an exam found.
    pub(super) fn take(&mut self, exam: Exam, patient: &Patient) {
        self.examined = true;
        for missing in &exam.missing {
            let name = name(patient.names, missing.verb);
            self.missing.push(missing.verb);
            if !self.permissions.contains(&name) {
                self.permissions.push(name);
                self.findings.push(missing.concern(patient));
            }
        }
        self.findings
            .extend(exam.skew.and_then(|skew| skew.concern()));
        self.findings.extend(
            exam.trouble
                .map(|why| Concern::new("store", why, "ask again once the store answers")),
        );
        self.latency = exam.latency;
        self.skew = exam.skew;
        self.passed = exam.passed;
        self.violation = exam.violation;
    }

    /// Whether nothing was found about the store.
    pub(super) fn is_clear(&self) -> bool {
        self.violation.is_none() && self.findings.is_empty()
    }

    /// Whether nothing was found, and everything was looked at.
    pub(super) fn is_sound(&self) -> bool {
        let whole = |audit: &Audit| audit.findings.is_empty();
        self.is_clear() && self.audit.as_ref().is_some_and(whole)
    }

    pub(super) fn tell(&self, streams: &Streams) -> io::Result<()> {
        if streams.json() {
            return streams.document(&self.json());
        }
        if self.examined {
            streams.note(self.verdict(streams.color()));
        }
        if let Some(latency) = &self.latency {
            let head = ["ms", "p50", "p95", "p99", "max"];
            streams.line(format!(
                "{:<8} {:>9} {:>9} {:>9} {:>9}",
                head[0], head[1], head[2], head[3], head[4]
            ))?;
            for (verb, spread) in latency.rows() {
                streams.line(format!(
                    "{verb:<8} {:>9.2} {:>9.2} {:>9.2} {:>9.2}",
                    spread.p50, spread.p95, spread.p99, spread.max
                ))?;
            }
        }
        if let Some(skew) = &self.skew {
            streams.line(skew)?;
        }
        for note in &self.notes {
            streams.line(format!("note     {note}"))?;
        }
        for found in &self.findings {
            let Concern {
                finding,
                why,
                advice,
            } = found;
            streams.line(format!("{finding}  {why}; {advice}"))?;
        }
        let Some(audit) = &self.audit else {
            return streams.line("executions were not looked at");
        };
        for finding in &audit.findings {
            streams.line(words(finding))?;
        }
        streams.line(format!(
            "{} executions, {} open, {} parked, {} findings",
            audit.executions,
            audit.open,
            audit.parked,
            audit.findings.len() + self.findings.len()
        ))
    }

    /// One line: trusted, refused by which probe, or not examined to the end.
    fn verdict(&self, color: bool) -> String {
        let place = &self.place;
        let bad = text::paint("BAD", 31, color);
        if let Some(violation) = &self.violation {
            return format!("{bad}  {place} is refused: {}", chain(violation));
        }
        if self.passed.len() < Probe::ALL.len() {
            let why = match self.permissions.as_slice() {
                [] => "the store could not be asked".to_owned(),
                names => format!("permissions are missing: {}", names.join(", ")),
            };
            return format!("{bad}  {place} is not proven: {why}");
        }
        let ok = text::paint("ok", 32, color);
        format!("{ok}  {place} ({})", names(&self.passed).join(", "))
    }

    fn json(&self) -> Value {
        let audit = self.audit.as_ref();
        let mut findings: Vec<Value> = self.findings.iter().map(|found| json!(found)).collect();
        let broken = audit.map_or(&[][..], |audit| &audit.findings);
        findings.extend(broken.iter().map(|found| json!(found)));
        json!({
            "bucket": self.place,
            "passed": names(&self.passed),
            "failed": self.violation.as_ref().map(|violation| violation.probe.as_str()),
            "violation": self.violation.as_ref().map(|violation| chain(violation)),
            "permissions_missing": self.permissions,
            "latency_ms": self.latency,
            "clock": self.skew,
            "notes": self.notes,
            "executions": audit.map(|audit| audit.executions),
            "open": audit.map(|audit| audit.open),
            "parked": audit.map(|audit| audit.parked),
            "findings": findings,
        })
    }
}

fn names(probes: &[Probe]) -> Vec<&'static str> {
    probes.iter().map(|probe| probe.as_str()).collect()
}

fn words(finding: &Finding) -> String {
    match finding {
        Finding::Asleep {
            eid,
            workflow,
            status,
            why,
        } => format!("asleep   {eid}  {workflow}  {status}  {why}"),
        Finding::Corrupt { key, why } => format!("corrupt  {key}  {why}"),
        Finding::Broken { eid, key, why } => format!("broken   {eid}  {key}  {why}"),
        Finding::Foreign { key } => format!("foreign  {key}"),
        Finding::Newer { key, format } => format!("newer    {key}  format {format}"),
    }
}
