//! The report.

use std::io;

use jiff::Timestamp;
use millpond::client::{Audit, Finding, Unserved, chain};
use millpond::ports::Verb;
use millpond_codec::PondId;
use millpond_conformance::{Probe, Violation};
use serde_json::{Value, json};

use super::super::streams::Streams;
use super::super::text;
use super::checks::Checks;
use super::finding::StoreFinding;
use super::latency::Latency;
use super::permissions::name;
use super::skew::Skew;
use super::target::Target;

/// The results of all checks.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// The bucket's URL.
    url: String,
    /// Whether the store was checked.
    checked: bool,
    pub(super) missing: Vec<Verb>,
    /// The missing permissions by name.
    permissions: Vec<&'static str>,
    latency: Option<Latency>,
    skew: Option<Skew>,
    passed: Vec<Probe>,
    violation: Option<Violation>,
    pub(super) findings: Vec<StoreFinding>,
    /// Observations that are not findings.
    pub(super) notes: Vec<String>,
    pub(super) audit: Option<Audit>,
    /// Executions that no worker serves.
    pub(super) unserved: Vec<Unserved>,
    /// The id that is authenticated with the objects of the bucket, if they are encrypted.
    pub(super) pond: Option<PondId>,
    /// When the executions were checked.
    pub(super) now: Timestamp,
}

impl Report {
    /// An empty report.
    pub(super) fn new(url: String) -> Self {
        Self {
            url,
            ..Self::default()
        }
    }

    /// Adds the results of the checks of the store.
    pub(super) fn take(&mut self, checks: Checks, target: &Target) {
        self.checked = true;
        for missing in &checks.missing {
            let name = name(target.names, missing.verb);
            self.missing.push(missing.verb);
            if !self.permissions.contains(&name) {
                self.permissions.push(name);
                self.findings.push(missing.finding(target));
            }
        }
        self.findings
            .extend(checks.skew.and_then(|skew| skew.finding()));
        self.findings.extend(
            checks.trouble.map(|why| {
                StoreFinding::new("store", why, "run doctor again when the store answers")
            }),
        );
        self.latency = checks.latency;
        self.skew = checks.skew;
        self.passed = checks.passed;
        self.violation = checks.violation;
    }

    /// Whether there are no findings about the store.
    pub(super) fn is_clear(&self) -> bool {
        self.violation.is_none() && self.findings.is_empty()
    }

    /// Whether everything was checked without findings, and nothing needs an operator.
    pub(super) fn is_sound(&self) -> bool {
        let whole = |audit: &Audit| audit.findings.is_empty() && audit.blocked.is_empty();
        self.is_clear() && self.unserved.is_empty() && self.audit.as_ref().is_some_and(whole)
    }

    pub(super) fn print(&self, streams: &Streams) -> io::Result<()> {
        if streams.json() {
            return streams.document(&self.json());
        }
        if self.checked {
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
        if let Some(id) = &self.pond {
            streams.line(format!("pond     {id}"))?;
        }
        for note in &self.notes {
            streams.line(format!("note     {note}"))?;
        }
        for found in &self.findings {
            let StoreFinding {
                finding,
                why,
                advice,
            } = found;
            streams.line(format!("{finding}  {why}; {advice}"))?;
        }
        let Some(audit) = &self.audit else {
            return streams.line("executions were not checked");
        };
        for finding in &audit.findings {
            streams.line(line(finding))?;
        }
        for blocked in &audit.blocked {
            let why = blocked.why.as_ref().map(ToString::to_string);
            let why = why.unwrap_or_else(|| "the reason cannot be read".to_owned());
            let age = self.age(blocked.since);
            let (eid, workflow) = (blocked.eid, &blocked.workflow);
            streams.line(format!("blocked  {eid}  {workflow}  for {age}: {why}"))?;
        }
        for unserved in &self.unserved {
            let (age, why) = (self.age(unserved.since), unserved.reason());
            let workflow = unserved.workflow.as_ref().map(|(name, _)| name.to_string());
            let workflow = workflow.unwrap_or_default();
            streams.line(format!(
                "unserved {}  {workflow}  for {age}: {why}",
                unserved.eid
            ))?;
        }
        for unread in &audit.unread {
            let channels = unread.channels.iter();
            let channels: Vec<_> = channels.map(|(name, n)| format!("{n} on {name}")).collect();
            let (eid, workflow) = (unread.eid, &unread.workflow);
            streams.line(format!(
                "unread   {eid}  {workflow}  {}",
                channels.join(", ")
            ))?;
        }
        streams.line(format!(
            "{} executions, {} open, {} parked, {} blocked, {} unserved, {} findings",
            audit.executions,
            audit.open,
            audit.parked,
            audit.blocked.len(),
            self.unserved.len(),
            audit.findings.len() + self.findings.len()
        ))
    }

    fn age(&self, since: Timestamp) -> String {
        text::duration(text::between(since, self.now))
    }

    /// One line: accepted, rejected with the name of the probe, or not checked completely.
    fn verdict(&self, color: bool) -> String {
        let url = &self.url;
        let bad = text::paint("BAD", 31, color);
        if let Some(violation) = &self.violation {
            return format!("{bad}  {url} is rejected: {}", chain(violation));
        }
        if self.passed.len() < Probe::ALL.len() {
            let why = match self.permissions.as_slice() {
                [] => "the store did not answer".to_owned(),
                names => format!("permissions are missing: {}", names.join(", ")),
            };
            return format!("{bad}  {url} was not checked completely: {why}");
        }
        let ok = text::paint("ok", 32, color);
        format!("{ok}  {url} ({})", names(&self.passed).join(", "))
    }

    fn json(&self) -> Value {
        let audit = self.audit.as_ref();
        let mut findings: Vec<Value> = self.findings.iter().map(|found| json!(found)).collect();
        let broken = audit.map_or(&[][..], |audit| &audit.findings);
        findings.extend(broken.iter().map(|found| json!(found)));
        json!({
            "bucket": self.url,
            "pond": self.pond,
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
            "blocked": audit.map(|audit| &audit.blocked),
            "unserved": self.unserved,
            "unread": audit.map(|audit| &audit.unread),
            "findings": findings,
        })
    }
}

fn names(probes: &[Probe]) -> Vec<&'static str> {
    probes.iter().map(|probe| probe.as_str()).collect()
}

fn line(finding: &Finding) -> String {
    match finding {
        Finding::Asleep {
            eid,
            workflow,
            status,
            why,
        } => format!("asleep   {eid}  {workflow}  {status}  {why}"),
        Finding::Corrupt { key, why } => format!("corrupt  {key}  {why}"),
        Finding::Broken { eid, key, why } => format!("broken   {eid}  {key}  {why}"),
        Finding::FarLease {
            eid,
            workflow,
            worker,
            until,
        } => format!(
            "lease    {eid}  {workflow}  leased until {until}, which is far ahead: synchronize the clocks of \
             {worker} and of this machine"
        ),
        Finding::Foreign { key } => format!("foreign  {key}"),
        Finding::Newer { key, format } => format!("newer    {key}  format {format}"),
    }
}
