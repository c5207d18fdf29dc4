//! The client, a process of its own: starts, signals and cancels executions as planned, at the
//! planned times. If it is killed, it continues after the last reply it recorded: repeating a
//! request has no further effect.

use std::process::ExitCode;
use std::time::Duration;

use millpond::client::{Engine, EngineError, Signal, Signalled, Start, chain};
use millpond::domain::Actor;
use serde::{Deserialize, Serialize};

use crate::options::Options;
use crate::place::Place;
use crate::plan::{Action, Op, Plan, eid_of};
use crate::{Trouble, lines};

/// The reply that the client received.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// Index in the plan's operations.
    pub(crate) op: usize,
    pub(crate) word: Word,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Word {
    Done,
    /// It was done before: by a previous process that was killed before it recorded the reply.
    Before,
    /// The execution is already over.
    Over,
}

pub(crate) fn main(options: &Options) -> ExitCode {
    let runtime = tokio::runtime::Runtime::new();
    let outcome = runtime
        .map_err(Into::into)
        .and_then(|runtime| runtime.block_on(act(options)));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the client gives up: {}", chain(&*error));
            ExitCode::FAILURE
        }
    }
}

async fn act(options: &Options) -> Result<(), Trouble> {
    let place = Place::of_process()?;
    let plan = Plan::new(options.seed, options.workflows, options.span());
    let engine = place.engine(options.ttl())?;
    let (answers, _) = lines::read::<Answer>(&place.answers())?;
    let done = answers.last().map_or(0, |answer| answer.op + 1);
    for (number, op) in plan.ops.iter().enumerate().skip(done) {
        let wait = op.at.saturating_sub(options.since_beginning());
        tokio::time::sleep(wait).await;
        let word = perform(&engine, &plan, op).await?;
        lines::append(&place.answers(), &Answer { op: number, word })?;
    }
    Ok(())
}

async fn perform(engine: &Engine, plan: &Plan, op: &Op) -> Result<Word, Trouble> {
    let case = &plan.cases[op.case];
    let eid = eid_of(&case.key);
    let actor = Actor::system("killer");
    let done = match &op.action {
        Action::Start => {
            let start = Start::new(case.workflow).input(&case.input).key(&case.key);
            let started = engine.start(start).await?;
            if started.eid != eid || started.differs {
                return Err(format!("{}: another start: {started:?}", case.key).into());
            }
            return Ok(word(started.fresh));
        }
        Action::Signal {
            channel,
            key,
            value,
        } => {
            let signal = Signal::on(*channel).value(value).key(key);
            let signalled = engine.signal(eid, signal).await;
            signalled.map(|signalled| signalled != Signalled::Known)
        }
        Action::Cancel => engine.cancel(eid, "planned", actor).await.map(|()| true),
        Action::Pause => engine.pause(eid, "planned", actor).await.map(|()| true),
        Action::Resume => engine.resume(eid, actor).await.map(|()| true),
        Action::Terminate => engine.terminate(eid, "planned", actor).await.map(|()| true),
    };
    match done {
        Ok(fresh) => Ok(word(fresh)),
        Err(EngineError::TerminalExecution { .. }) => Ok(Word::Over),
        Err(error) => Err(error.into()),
    }
}

fn word(fresh: bool) -> Word {
    if fresh { Word::Done } else { Word::Before }
}

impl Options {
    /// The period in which executions are started: the first four fifths of the killing.
    pub(crate) fn span(&self) -> Duration {
        Duration::from_secs_f64(self.seconds * 0.8)
    }
}
