//! `versions`: lists the versions of workflows that executions still need.

use comfy_table::{ContentArrangement, Table, presets};

use super::command::Run;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::needs::Needs;
use super::text;

/// List the versions of workflows that executions still need
///
/// A version that is not listed has no execution that has not ended: its code may be removed. Costs
/// what `list` costs.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

impl Run for Args {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let used = context.engine.versions().await?;
        if context.streams.json() {
            context.streams.document(&used)?;
            return Ok(Exit::Done);
        }
        if used.is_empty() {
            let note = format!("every execution in {} has ended", context.url);
            context.streams.note(note);
            return Ok(Exit::Done);
        }
        let mut table = Table::new();
        *table.style_mut() = presets::NOTHING;
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.force_no_tty();
        table.set_header(["WORKFLOW", "VERSION", "EXECUTIONS", "SINCE", "CODE"]);
        for version in used {
            let code = match version.registered {
                true => "registered",
                false => "not registered",
            };
            table.add_row([
                version.workflow.to_string(),
                text::line(&version.version),
                version.executions.to_string(),
                text::instant(version.since),
                code.to_owned(),
            ]);
        }
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        context.streams.line(table.trim_fmt())?;
        Ok(Exit::Done)
    }
}
