//! `list`: lists executions, newest first.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use comfy_table::{Cell, Color, ContentArrangement, Table, presets};
use millpond::client::{Filter, Row};
use millpond::domain::{Status, Workflow};

use super::command::Run;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::needs::Needs;
use super::text;

/// List executions, newest first
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only executions with this status; repeatable
    #[arg(long, value_name = "STATUS", value_parser = status())]
    status: Vec<Status>,
    /// Only executions of this workflow
    #[arg(long, value_name = "NAME")]
    workflow: Option<Workflow>,
    /// Maximum number of executions
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

const ALL: [Status; 9] = [
    Status::Pending,
    Status::Running,
    Status::Suspended,
    Status::Paused,
    Status::Blocked,
    Status::Completed,
    Status::Failed,
    Status::Cancelled,
    Status::Archived,
];

/// Parses a status by its name; clap lists the names and suggests similar ones.
fn status() -> impl TypedValueParser<Value = Status> {
    PossibleValuesParser::new(ALL.map(Status::as_str)).map(|name| {
        let found = ALL.into_iter().find(|status| status.as_str() == name);
        found.expect("the parser accepts only these names")
    })
}

impl Run for Args {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let filter = Filter {
            status: self.status,
            workflow: self.workflow,
            limit: Some(self.limit),
        };
        let rows = context.engine.list(&filter).await?;
        if context.streams.json() {
            context.streams.document(&rows)?;
        } else if rows.is_empty() {
            context
                .streams
                .note(format!("no executions in {}", context.url));
        } else {
            context
                .streams
                .line(table(&rows, context.streams.color()))?;
        }
        Ok(Exit::Done)
    }
}

fn table(rows: &[Row], color: bool) -> String {
    let mut table = Table::new();
    *table.style_mut() = presets::NOTHING;
    table.set_content_arrangement(ContentArrangement::Disabled);
    if color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table.set_header([
        "EID", "WORKFLOW", "STATUS", "KEY", "STARTED", "UPDATED", "NOTE",
    ]);
    for row in rows {
        let status = Cell::new(row.status);
        let status = if color {
            status.fg(shade(row.status))
        } else {
            status
        };
        table.add_row([
            Cell::new(row.eid),
            Cell::new(format!("{}@{}", row.workflow, row.version)),
            status,
            Cell::new(text::cut(row.dispatch_key.as_deref().unwrap_or(""), 24)),
            Cell::new(text::instant(row.created_at)),
            Cell::new(text::instant(row.updated_at)),
            Cell::new(text::cut(row.note.as_deref().unwrap_or(""), 60)),
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.trim_fmt()
}

fn shade(status: Status) -> Color {
    match status {
        Status::Completed => Color::DarkGreen,
        Status::Failed | Status::Blocked => Color::DarkRed,
        Status::Cancelled | Status::Paused => Color::DarkYellow,
        Status::Running => Color::DarkCyan,
        Status::Pending | Status::Suspended => Color::DarkBlue,
        Status::Archived => Color::DarkGrey,
    }
}
