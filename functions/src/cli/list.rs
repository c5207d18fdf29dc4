//! `list`: lists executions, newest first.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use comfy_table::{Cell, Color, ContentArrangement, Table, presets};
use jiff::Timestamp;
use millpond::client::{Filter, Row, Unserved};
use millpond::domain::{ExecutionId, Status, Workflow};
use serde::Serialize;

use super::command::Run;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::needs::Needs;
use super::text;
use crate::environment::minutes;

/// Width of the table without `--full`, in columns.
const WIDTH: usize = 80;
/// Columns between two cells.
const GAP: usize = 2;
/// The age at which mail is reported as unserved, in minutes.
pub(super) const UNSERVED: &str = "5";

/// List executions, newest first
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only executions with this status; repeatable. `archived` selects all archived executions
    #[arg(long, value_name = "STATUS", value_parser = status())]
    status: Vec<Status>,
    /// Only executions of this workflow
    #[arg(long, value_name = "NAME")]
    workflow: Option<Workflow>,
    /// Maximum number of executions
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// Show whole ids, keys, instants and notes, also beyond 80 columns
    #[arg(long)]
    full: bool,
    /// Report mail and timers that were not served for this time
    #[arg(long, value_name = "MINUTES", default_value = UNSERVED, value_parser = minutes)]
    unserved: Duration,
}

/// Parses a status by its name; clap lists the names and suggests similar ones.
fn status() -> impl TypedValueParser<Value = Status> {
    PossibleValuesParser::new(Status::ALL.map(Status::as_str)).map(|name| {
        let found = Status::named(&name);
        found.expect("the parser accepts only these names")
    })
}

/// A row, and why it is not served, if it is not.
#[derive(Debug, Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    row: &'a Row,
    unserved: Option<&'a Unserved>,
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
        let unserved = context.engine.unserved(self.unserved).await?;
        let unserved: BTreeMap<ExecutionId, Unserved> =
            unserved.into_iter().map(|one| (one.eid, one)).collect();
        let rows: Vec<Listed<'_>> = rows
            .iter()
            .map(|row| Listed {
                unserved: unserved.get(&row.eid),
                row,
            })
            .collect();
        let elsewhere = unserved.len() - rows.iter().filter(|row| row.unserved.is_some()).count();
        if elsewhere > 0 {
            context.streams.note(format!(
                "executions that are not in this list are not served; `doctor --no-probes` names them: \
                 unserved={elsewhere}"
            ));
        }
        if context.streams.json() {
            context.streams.document(&rows)?;
        } else if rows.is_empty() {
            context.streams.note(nothing(&filter, &context.url));
        } else {
            let now = context.engine.ports().clock.now();
            let color = context.streams.color();
            let table = match self.full {
                true => full(&rows, now, color),
                false => short(&rows, now, color),
            };
            context.streams.line(table)?;
        }
        Ok(Exit::Done)
    }
}

/// What an empty result means.
fn nothing(filter: &Filter, url: &str) -> String {
    let mut wanted: Vec<String> = Vec::new();
    if !filter.status.is_empty() {
        let names: Vec<_> = filter.status.iter().map(|status| status.as_str()).collect();
        wanted.push(format!("status={}", names.join(",")));
    }
    wanted.extend(
        filter
            .workflow
            .iter()
            .map(|name| format!("workflow={name}")),
    );
    match wanted.is_empty() {
        true => format!("no executions in {url}"),
        false => format!("no executions match: {}, bucket={url}", wanted.join(", ")),
    }
}

/// One row in at most 80 columns. Columns without content are left out.
fn short(rows: &[Listed<'_>], now: Timestamp, color: bool) -> String {
    let cells: Vec<[String; 6]> = rows
        .iter()
        .map(|listed| {
            let row = listed.row;
            [
                text::short(&row.eid),
                format!("{}@{}", row.workflow, row.version),
                row.status.to_string(),
                row.dispatch_key.clone().unwrap_or_default(),
                text::duration(text::between(row.updated_at, now)),
                note(listed, now),
            ]
        })
        .collect();
    let head = ["ID", "WORKFLOW", "STATUS", "KEY", "CHANGED", "NOTE"];
    let mut most = [12, 18, 10, 14, 8, WIDTH];
    let mut left = WIDTH;
    for (at, most) in most.iter_mut().enumerate() {
        let lengths = cells.iter().map(|row| row[at].chars().count());
        let longest = lengths.max().unwrap_or_default();
        *most = match longest {
            0 => 0,
            longest => longest.max(head[at].len()).min(*most).min(left),
        };
        left = left.saturating_sub(*most + GAP);
    }
    let shown: Vec<usize> = (0..head.len()).filter(|at| most[*at] > 0).collect();
    let mut table = empty(color);
    table.set_header(shown.iter().map(|at| head[*at]));
    for (row, listed) in cells.iter().zip(rows) {
        table.add_row(shown.iter().map(|at| {
            let cell = Cell::new(text::cut(&row[*at], most[*at]));
            match head[*at] {
                "STATUS" if color => cell.fg(shade(listed.row.status)),
                _ => cell,
            }
        }));
    }
    finished(table)
}

/// Everything, however wide.
fn full(rows: &[Listed<'_>], now: Timestamp, color: bool) -> String {
    let mut table = empty(color);
    table.set_header([
        "EID", "WORKFLOW", "STATUS", "QUEUE", "KEY", "STARTED", "UPDATED", "NOTE",
    ]);
    for listed in rows {
        let row = listed.row;
        let status = Cell::new(row.status);
        let status = match color {
            true => status.fg(shade(row.status)),
            false => status,
        };
        table.add_row([
            Cell::new(row.eid),
            Cell::new(format!("{}@{}", row.workflow, row.version)),
            status,
            Cell::new(&row.queue),
            Cell::new(text::line(row.dispatch_key.as_deref().unwrap_or(""))),
            Cell::new(text::instant(row.created_at)),
            Cell::new(text::instant(row.updated_at)),
            Cell::new(text::line(&note(listed, now))),
        ]);
    }
    finished(table)
}

/// The most urgent of what can be noted about an execution.
fn note(listed: &Listed<'_>, now: Timestamp) -> String {
    if let Some(unserved) = listed.unserved {
        let age = text::duration(text::between(unserved.since, now));
        return format!("unserved {age}: {}", unserved.reason());
    }
    match &listed.row.note {
        Some(note) => note.clone(),
        None if listed.row.deleted => "deleted".to_owned(),
        None if listed.row.archived => "archived".to_owned(),
        None if listed.row.generation > 0 => format!("generation {}", listed.row.generation),
        None => String::new(),
    }
}

fn empty(color: bool) -> Table {
    let mut table = Table::new();
    *table.style_mut() = presets::NOTHING;
    table.set_content_arrangement(ContentArrangement::Disabled);
    if color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table
}

fn finished(mut table: Table) -> String {
    for column in table.column_iter_mut() {
        column.set_padding((0, u16::try_from(GAP).unwrap_or_default()));
    }
    table.trim_fmt()
}

fn shade(status: Status) -> Color {
    match status {
        Status::Completed => Color::DarkGreen,
        Status::Failed | Status::Blocked => Color::DarkRed,
        Status::Cancelled | Status::Terminated | Status::Paused => Color::DarkYellow,
        Status::Running => Color::DarkCyan,
        Status::Pending | Status::Suspended => Color::DarkBlue,
        Status::Archived => Color::DarkGrey,
    }
}
