//! `graph resolve`: decides what a run asks for.

use millpond::domain::Json;
use millpond_graph::definition::NodeId;
use millpond_graph::machine::Decision;
use millpond_graph::run::{Asked, decide, snapshot};
use serde::de::DeserializeOwned;

use super::super::command::Run;
use super::super::context::CommandContext;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::find::{Named, with_near};
use super::super::needs::Needs;
use super::send::send;

/// Decide what a run asks for
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    named: Named,
    /// The node that asks [default: the only one]
    #[arg(long, value_name = "NODE")]
    node: Option<NodeId>,
    /// The sequence at which it asks: for a node that asks several times at once
    #[arg(long, value_name = "SEQUENCE")]
    at: Option<u64>,
    #[command(flatten)]
    decision: Decided,
    /// Why an attempt is made again although its effect may have happened
    #[arg(long, value_name = "REASON", requires = "retry")]
    forced: Option<String>,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Decided {
    /// The answer to an `input` node, as JSON
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    answer: Option<String>,
    /// The lost attempt had its effect; values for keys of the state, as a JSON object
    #[arg(long, value_name = "JSON")]
    accept: Option<String>,
    /// The lost attempt has failed
    #[arg(long, value_name = "MESSAGE")]
    fail: Option<String>,
    /// Make another attempt
    #[arg(long)]
    retry: bool,
}

impl Run for Args {
    const NEEDS: Needs = Needs::ONE_SHOT;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let run = self.named.eid(context).await?;
        let decision = self.decision()?;
        let shown = match snapshot(&context.engine, run).await {
            Ok(shown) => shown,
            Err(error) => return Err(with_near(context, error).await),
        };
        let asked = shown.map(|shown| shown.interactions).unwrap_or_default();
        let at = self.interaction(&asked)?;
        let signal = decide(at.sequence, at.generation, &decision);
        send(context, run, signal, "decision").await
    }
}

impl Args {
    fn decision(&self) -> Result<Decision, Error> {
        let Decided {
            answer,
            accept,
            fail,
            ..
        } = &self.decision;
        Ok(if let Some(text) = answer {
            Decision::Answer(value("--answer", text)?)
        } else if let Some(text) = accept {
            Decision::Accept(value("--accept", text)?)
        } else if let Some(message) = fail {
            Decision::Fail {
                message: message.clone(),
            }
        } else {
            Decision::Retry {
                forced: self.forced.clone(),
            }
        })
    }

    fn interaction<'a>(&self, asked: &'a [Asked]) -> Result<&'a Asked, Error> {
        let named = |one: &&Asked| {
            let node = self.node.as_ref().is_none_or(|node| one.node == *node);
            node && self.at.is_none_or(|sequence| one.sequence == sequence)
        };
        let name = |one: &Asked| format!("{} at {}", one.node, one.sequence);
        let mut found = asked.iter().filter(named);
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(one),
            (None, _) => Err(Error::NotFound {
                what:
                    "the run does not ask for that decision; `graph show` prints what it asks for"
                        .to_owned(),
                near: asked.iter().map(name).collect(),
            }),
            (Some(_), Some(_)) => Err(Error::Ambiguous {
                what: "the run asks for several decisions; name one with --node or --at".to_owned(),
                matches: asked.iter().map(name).collect(),
            }),
        }
    }
}

fn value<T: DeserializeOwned>(option: &str, text: &str) -> Result<T, Error> {
    let value = Json::parse(text).and_then(|json| json.get());
    value.map_err(|error| {
        let why = format!("the value of {option} cannot be used; correct it: {error}: got={text}");
        Error::Usage(why)
    })
}
