//! `workflows`: lists what the application has registered.

use comfy_table::{ContentArrangement, Table, presets};
use serde_json::{Value, json};

use super::command::Launch;
use super::error::Error;
use super::exit::Exit;
use super::invocation::Invocation;

/// List the workflows of this application
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Add the JSON schemas of inputs and outputs
    #[arg(long)]
    schema: bool,
}

// It opens no bucket.
impl Launch for Args {
    async fn launch(self, invocation: Invocation<'_>) -> Result<Exit, Error> {
        let Invocation { app, streams, .. } = invocation;
        app.check()?;
        if streams.json() || self.schema {
            let all: Vec<Value> = app
                .all()
                .map(|known| {
                    let code = &known.workflow;
                    let mut row = json!({
                        "name": known.name, "version": known.version,
                        "input": code.input_type(), "output": code.output_type(),
                    });
                    if self.schema {
                        row["input_schema"] = code.input_schema();
                        row["output_schema"] = code.output_schema();
                    }
                    row
                })
                .collect();
            streams.document(&all)?;
            return Ok(Exit::Done);
        }
        let mut table = Table::new();
        *table.style_mut() = presets::NOTHING;
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.force_no_tty();
        table.set_header(["WORKFLOW", "VERSION", "INPUT", "OUTPUT"]);
        for known in app.all() {
            table.add_row([
                known.name.to_string(),
                known.version.clone(),
                known.workflow.input_type().to_owned(),
                known.workflow.output_type().to_owned(),
            ]);
        }
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        streams.line(table.trim_fmt())?;
        Ok(Exit::Done)
    }
}
