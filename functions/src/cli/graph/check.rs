//! `graph check`: checks a definition.

use serde_json::json;

use super::super::error::Error;
use super::super::exit::Exit;
use super::super::streams::Streams;
use super::load::Text;
use super::report;

/// Check a definition and report every finding; exit code 1 if there is an error
///
/// Definitions that its children run are not read.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    text: Text,
}

pub(super) fn run(args: &Args, streams: &Streams) -> Result<Exit, Error> {
    let (name, report) = args.text.check()?;
    let valid = report.is_valid();
    let definition = report.definition.as_ref().filter(|_| valid);
    if streams.json() {
        streams.document(&json!({
            "id": definition.map(|definition| definition.id.as_str()),
            "revision": definition.map(|definition| definition.revision().to_string()),
            "findings": report::documents(&report.findings),
        }))?;
    } else {
        report::note(&name, &report.findings, streams);
        if let Some(definition) = definition {
            let (id, revision) = (&definition.id, definition.revision());
            streams.line(format!("{id}: valid: revision={revision}"))?;
        }
    }
    Ok(if valid { Exit::Done } else { Exit::Failed })
}
