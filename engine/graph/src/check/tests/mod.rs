mod cases;
mod form;
mod graphs;
mod limits;

use super::{Code, Report, check};
use crate::limits::Limits;
use crate::read::Format;

fn report(yaml: &str) -> Report {
    check(yaml, Format::Yaml, &Limits::default(), &())
}

/// The code, the path, the line and the nearest name of each finding.
fn found(report: &Report) -> Vec<(Code, &str, usize, Option<&str>)> {
    let findings = report.findings.iter();
    findings
        .map(|finding| {
            let line = finding.place.map_or(0, |place| place.line);
            (
                finding.code,
                finding.path.as_str(),
                line,
                finding.nearest.as_deref(),
            )
        })
        .collect()
}
