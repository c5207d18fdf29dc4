//! `ffl run`: runs a workflow in this process.

use std::path::PathBuf;
use std::time::Duration;

use millpond::client::{EngineError, Notice, Start, Started, WorkerOptions};
use millpond::domain::{ExecutionId, Queue, Status};
use millpond_ffl::run::Executable;

use super::super::context::CommandContext;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::input::Input;
use super::super::invocation::Invocation;
use super::super::needs::Needs;
use super::super::serve::Interrupts;
use super::handlers::Handling;
use super::load::Texts;
use super::program::{self, workflow};
use crate::roles::{sweeper, worker};

/// The queue of executions that this command starts: workers of other programs leave them alone.
const QUEUE: &str = "ffl";
/// For mail that no run has absorbed; the worker finds timers itself.
const SWEEP: Duration = Duration::from_secs(5);
/// How often an execution that does not end is looked at: it may be blocked.
const LOOK: Duration = Duration::from_secs(1);
/// The most bytes of an input: the limit of a value.
const MAX_INPUT: usize = 16 << 20;

/// Run a workflow in this process, with programs as handlers, and print its result
///
/// A handler gets the call as JSON on its standard input, `{"facet", "params"}`, and prints the
/// returns as a JSON object. If it exits with another code than 0, the call fails. Its standard error
/// is shown. With `--bucket memory:`, nothing remains.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    texts: Texts,
    /// The qualified name of the workflow [default: the only one of the program]
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
    /// The input: a JSON object of parameters by name [default: {}]
    #[arg(long, value_name = "JSON", conflicts_with = "input_file")]
    input: Option<String>,
    /// A file with the input (`-`: stdin)
    #[arg(long, value_name = "FILE")]
    input_file: Option<PathBuf>,
    #[command(flatten)]
    handling: Handling,
    /// Idempotency key: a key that is in use continues the existing execution
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
}

pub(super) async fn run(args: &Args, mut invocation: Invocation<'_>) -> Result<Exit, Error> {
    let streams = invocation.streams;
    let Some(program) = program::load(&args.texts, streams)? else {
        return Ok(Exit::Failed);
    };
    let workflow = workflow(args.workflow.as_deref(), &program)?;
    let input = args.input()?;
    program
        .accepts(&workflow, &input)
        .map_err(|error| Error::Usage(error.to_string()))?;
    let handlers = args.handling.of(&program, streams)?;
    invocation.app = program.register(std::mem::take(&mut invocation.app), handlers);
    // Boxed: the futures are large together.
    let context = Box::pin(CommandContext::open(invocation, Needs::WORKER)).await?;
    let mut start = Start::new(workflow)
        .input(&input)
        .version(program.digest())
        .queue(QUEUE)
        .actor(context.actor.clone());
    if let Some(key) = &args.key {
        start = start.key(key);
    }
    let started = context.engine.start(start).await?;
    if is_other(&context, &started, &program).await? {
        return Err(Error::Usage(
            "the key has started another workflow, program or input; use another key".to_owned(),
        ));
    }
    Box::pin(to_the_end(&context, started.eid)).await
}

/// Whether a key that is in use names an execution of another workflow, program or input.
async fn is_other(
    context: &CommandContext,
    started: &Started,
    program: &Executable,
) -> Result<bool, Error> {
    if started.fresh || started.differs {
        return Ok(started.differs);
    }
    let record = context.engine.execution(started.eid).await?.record;
    Ok(record.version != program.digest())
}

impl Args {
    fn input(&self) -> Result<serde_json::Value, Error> {
        let text = match (&self.input, &self.input_file) {
            (Some(text), _) => text.clone().into_bytes(),
            (None, Some(path)) => Input::of(path).bytes(MAX_INPUT)?,
            (None, None) => b"{}".to_vec(),
        };
        serde_json::from_slice(&text)
            .map_err(|error| Error::Usage(format!("the input is not valid JSON: {error}")))
    }
}

/// Works until the execution has ended or is blocked, or until an interrupt.
async fn to_the_end(context: &CommandContext, eid: ExecutionId) -> Result<Exit, Error> {
    let queue = Queue::parse(QUEUE)?;
    let options = WorkerOptions {
        queues: vec![queue],
        idle: Duration::from_millis(200),
        ..WorkerOptions::default()
    };
    let (stop, abandon) = (Notice::new(), Notice::new());
    let mut interrupts = Interrupts::listen().map_err(Error::Signals)?;
    let work = async {
        tokio::join!(
            worker(&context.engine, options, &stop, &abandon),
            sweeper(&context.engine, SWEEP, &stop),
        );
    };
    let interrupted = async {
        interrupts.next().await;
        context
            .streams
            .note("stopping: running handlers may finish; interrupt again to exit at once");
        stop.set();
        interrupts.next().await;
        abandon.set();
        std::future::pending::<()>().await;
    };
    // Boxed: the futures are large together.
    tokio::select! {
        biased;
        ended = Box::pin(end(context, eid)) => return ended,
        () = Box::pin(interrupted) => {}
        () = Box::pin(work) => {}
    }
    context.streams.note(match context.ephemeral {
        true => "interrupted: the execution is lost with the bucket in memory".to_owned(),
        false => format!(
            "interrupted: the execution continues with the next `ffl run` of this program on this \
             bucket: eid={eid}"
        ),
    });
    Ok(Exit::Killed)
}

async fn end(context: &CommandContext, eid: ExecutionId) -> Result<Exit, Error> {
    loop {
        match context.engine.result(eid, LOOK).await {
            Ok(_) => return super::super::result::show(context, eid, Duration::ZERO).await,
            Err(EngineError::NotYet { status, .. }) => {
                if status == Status::Blocked {
                    let blocked = context.engine.execution(eid).await?.blocked;
                    let why = blocked
                        .map(|blocked| blocked.to_string())
                        .unwrap_or_default();
                    context.streams.note(format!("blocked: {why}: eid={eid}"));
                    return Ok(Exit::Failed);
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
}
