//! `ffl explain`: the steps of an execution, with states, times and values.

use millpond_ffl::explain::{ExplainError, explain};
use millpond_ffl::states::{Node, ObjectType, State};
use millpond_ffl::value::Value;

use super::super::context::CommandContext;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::find::{self, with_near};
use super::super::invocation::Invocation;
use super::super::needs::Needs;
use super::super::text;
use super::load::Texts;
use super::program;

/// Show the steps of an execution of FFL texts: states, times and values
///
/// The texts must be those that the execution runs: what is shown is computed from them, the input
/// and the journal.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The execution: its id, the beginning or end of it, or key:KEY
    #[arg(long, value_name = "EID")]
    execution: String,
    #[command(flatten)]
    texts: Texts,
}

pub(super) async fn run(args: &Args, invocation: Invocation<'_>) -> Result<Exit, Error> {
    let Some(program) = program::load(&args.texts, invocation.streams)? else {
        return Ok(Exit::Failed);
    };
    // Boxed: the futures are large together.
    let context = Box::pin(CommandContext::open(invocation, Needs::ONE_SHOT)).await?;
    let eid = find::eid(&context, &args.execution).await?;
    let tree = match Box::pin(explain(&context.engine, eid, &program)).await {
        Ok(tree) => tree,
        Err(ExplainError::Engine(error)) => return Err(with_near(&context, error).await),
        Err(ExplainError::Value(error)) => return Err(error.into()),
        Err(error) => return Err(Error::Usage(error.to_string())),
    };
    if context.streams.json() {
        context.streams.document(&tree)?;
    } else {
        for line in lines(&tree) {
            context.streams.line(line)?;
        }
    }
    Ok(Exit::Done)
}

/// One line per step, block and yield, in aligned columns.
fn lines(tree: &Node) -> Vec<String> {
    let mut rows = Vec::new();
    rows_of(tree, 0, &mut rows);
    let width = rows.iter().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or_default();
    let aligned = rows
        .iter()
        .map(|(name, about)| format!("{name:width$}  {about}"));
    aligned.map(|line| line.trim_end().to_owned()).collect()
}

fn rows_of(node: &Node, depth: usize, rows: &mut Vec<(String, String)>) {
    let last = node.path.rsplit('/').next().unwrap_or_default();
    let name = match node.object {
        ObjectType::Workflow => node.facet.as_deref().unwrap_or_default(),
        _ => last,
    };
    rows.push((
        format!("{:depth$}{name}", "", depth = 2 * depth),
        about(node),
    ));
    for child in &node.children {
        rows_of(child, depth + 1, rows);
    }
}

/// State, time, facet, and what came of it.
fn about(node: &Node) -> String {
    let mut columns = vec![format!("{:<26}", node.state().as_str())];
    columns.extend(node.states.last().map(|reached| text::instant(reached.at)));
    let facet = node
        .facet
        .as_ref()
        .filter(|_| node.object != ObjectType::Workflow);
    columns.extend(facet.cloned());
    let shown = |value: &Value| text::cut(&value.text(), 60);
    match (&node.error, &node.returns) {
        (Some(error), _) => columns.push(text::cut(&error.to_string(), 100)),
        (None, Some(returns)) if node.state() == State::Complete => {
            columns.push(shown(returns));
        }
        (None, _) if node.transmits() => columns.extend(node.params.as_ref().map(shown)),
        (None, _) => {}
    }
    columns.extend(node.notes.iter().map(|note| text::cut(note, 100)));
    columns.join("  ")
}
