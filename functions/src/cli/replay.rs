//! `replay`: replays executions with the workflows of this build, and reports those that it would
//! block.

use std::path::PathBuf;

use millpond::client::{EngineError, ErrorKind, Filter, LoadError, Queried, Query, chain};
use millpond::domain::{Blocked, Status, Workflow};
use serde::Serialize;
use serde_json::json;

use super::command::Launch;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::histories::{self, Histories};
use super::invocation::Invocation;
use super::list::status;
use super::needs::Needs;
use super::text;
use crate::assembly::{Assembly, Opening};

/// Replay executions with the workflows of this application, and report those that would be blocked
///
/// Writes nothing, and runs no step. Without --against, it replays the executions of the bucket that
/// have not ended.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Exported histories instead: a folder of `bucket export`, a file of `journal --json`, or a
    /// folder of such files; repeatable
    #[arg(long, value_name = "PATH")]
    against: Vec<PathBuf>,
    /// Only executions with this status; repeatable
    #[arg(long, value_name = "STATUS", value_parser = status(), conflicts_with = "against")]
    status: Vec<Status>,
    /// Only executions of this workflow
    #[arg(long, value_name = "NAME")]
    workflow: Option<Workflow>,
    /// Maximum number of executions, newest first [default: all]
    #[arg(long, value_name = "N", conflicts_with = "against")]
    limit: Option<usize>,
}

/// An execution that this build could not continue.
#[derive(Debug, Serialize)]
struct Finding {
    /// The execution, or the file.
    execution: String,
    finding: &'static str,
    message: String,
    /// The entry that does not fit, what the journal says and what the code does.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked: Option<Blocked>,
}

// It opens a bucket only if it replays its executions.
impl Launch for Args {
    async fn launch(self, invocation: Invocation<'_>) -> Result<Exit, Error> {
        if self.against.is_empty() {
            let context = CommandContext::open(invocation, Needs::ONE_SHOT).await?;
            let replayed = self.live(&context).await?;
            return replayed.report(&context);
        }
        let histories = Histories::read(&self.against)?;
        let memory = "memory:".parse()?;
        let opening = Opening {
            compress: false,
            keyring: None,
            fsync: false,
            create: true,
            check: false,
        };
        let assembly = Assembly::open(memory, opening).await?;
        let context = CommandContext::over(assembly, invocation, Needs::ONE_SHOT)?;
        let replayed = self.exported(&context, histories).await?;
        replayed.report(&context)
    }
}

impl Args {
    async fn live(self, context: &CommandContext) -> Result<Replayed, Error> {
        let open = |status: &Status| !status.is_terminal();
        let status = match self.status.is_empty() {
            true => Status::ALL.into_iter().filter(open).collect(),
            false => self.status,
        };
        let filter = Filter {
            status,
            workflow: self.workflow,
            limit: self.limit,
        };
        let mut replayed = Replayed::default();
        for row in context.engine.list(&filter).await? {
            let shown = context.engine.query(row.eid, &Query::newest()).await;
            replayed.add(&row.eid.to_string(), shown)?;
        }
        Ok(replayed)
    }

    async fn exported(
        self,
        context: &CommandContext,
        histories: Histories,
    ) -> Result<Replayed, Error> {
        let (engine, mut replayed) = (&context.engine, Replayed::default());
        let wanted = |name: &Workflow| self.workflow.as_ref().is_none_or(|only| only == name);
        for eid in histories::load(engine, histories.objects).await? {
            let of = match engine.execution(eid).await {
                Ok(execution) => execution.record.workflow,
                Err(error) => {
                    replayed.add(&eid.to_string(), Err(error))?;
                    continue;
                }
            };
            if wanted(&of) {
                let shown = engine.query(eid, &Query::newest()).await;
                replayed.add(&eid.to_string(), shown)?;
            }
        }
        for (file, page) in histories.pages {
            let eid = page.record.eid;
            if wanted(&page.record.workflow) {
                let shown = engine.replay(&page).await;
                replayed.add(&format!("{eid} in {}", file.display()), shown)?;
            }
        }
        Ok(replayed)
    }
}

/// What the replays have found.
#[derive(Default)]
struct Replayed {
    executions: u64,
    findings: Vec<Finding>,
}

impl Replayed {
    /// # Errors
    /// The store failed.
    fn add(&mut self, execution: &str, shown: Result<Queried, EngineError>) -> Result<(), Error> {
        self.executions += 1;
        let Err(error) = shown else {
            return Ok(());
        };
        let (finding, blocked) = match &error {
            EngineError::Misfit { why, .. } => ("blocked", Some(Blocked::clone(why))),
            EngineError::UnknownWorkflow { .. } => ("unregistered", None),
            // It has been deleted since it was listed.
            EngineError::UnknownExecution { .. } => return Ok(()),
            EngineError::Bucket(_) | EngineError::Load(LoadError::Bucket(_)) => {
                return Err(error.into());
            }
            _ if error.kind() == ErrorKind::Storage => ("unreadable", None),
            _ => return Err(error.into()),
        };
        self.findings.push(Finding {
            execution: execution.to_owned(),
            finding,
            message: chain(&error),
            blocked,
        });
        Ok(())
    }

    fn report(&self, context: &CommandContext) -> Result<Exit, Error> {
        let (all, found) = (self.executions, self.findings.len() as u64);
        if context.streams.json() {
            let (fit, findings) = (all - found, &self.findings);
            let report = json!({"replayed": all, "fit": fit, "findings": findings});
            context.streams.document(&report)?;
        } else {
            for finding in &self.findings {
                let (what, message) = (finding.finding, text::line(&finding.message));
                let line = format!("{what:<12}  {}  {message}", finding.execution);
                context.streams.line(line)?;
            }
            let done = format!("{all} executions replayed, {found} of them do not fit this build");
            context.streams.line(done)?;
        }
        Ok(match found {
            0 => Exit::Done,
            _ => Exit::Failed,
        })
    }
}
