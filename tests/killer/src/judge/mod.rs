//! The judge: checks the invariants at rest, from the bucket, the ledger and the client's replies.
//! The numbers are those of docs/protocol.md.

mod attempts;
mod chain;
mod control;
mod ends;
mod messages;
mod quiet;
mod story;
mod trees;

use std::fmt;
use std::time::Duration;

use millpond::client::Engine;
use millpond::domain::ExecutionId;

pub(crate) use attempts::Figures;
pub(crate) use story::{Stories, Story};

use crate::client::Answer;
use crate::ledger::Line;
use crate::place::Place;
use crate::plan::Plan;
use crate::{Trouble, lines};

/// A violated invariant.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) rule: &'static str,
    pub(crate) eid: Option<ExecutionId>,
    pub(crate) what: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.eid {
            Some(eid) => write!(f, "{}: {eid}: {}", self.rule, self.what),
            None => write!(f, "{}: {}", self.rule, self.what),
        }
    }
}

/// The findings and the statistics.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) broken: Vec<Broken>,
    pub(crate) executions: usize,
    pub(crate) commits: usize,
    pub(crate) figures: Figures,
    /// Messages that the client sent and that were absorbed.
    pub(crate) absorbed: usize,
    /// The longest time from the sending of a message to its absorption.
    pub(crate) longest_wait: Duration,
    /// Lines that a killed process left incomplete.
    pub(crate) torn: usize,
}

impl Verdict {
    fn must(
        &mut self,
        rule: &'static str,
        eid: ExecutionId,
        holds: bool,
        what: impl FnOnce() -> String,
    ) {
        if !holds {
            let (eid, what) = (Some(eid), what());
            self.broken.push(Broken { rule, eid, what });
        }
    }

    /// Reports one violation for all of them.
    fn all_must(&mut self, rule: &'static str, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            let what = what();
            self.broken.push(Broken {
                rule,
                eid: None,
                what,
            });
        }
    }
}

/// Judges a run that has come to rest.
pub(crate) async fn judge(
    engine: &Engine,
    place: &Place,
    plan: &Plan,
) -> Result<(Verdict, Stories), Trouble> {
    let (ledger, torn) = lines::read::<Line>(&place.ledger())?;
    let (answers, torn_answers) = lines::read::<Answer>(&place.answers())?;
    let stories = story::read(engine).await?;
    let mut verdict = Verdict {
        executions: stories.len(),
        commits: stories.values().map(|story| story.commits.len()).sum(),
        torn: torn + torn_answers,
        ..Verdict::default()
    };
    for story in stories.values() {
        chain::check(&mut verdict, story);
    }
    ends::check(&mut verdict, engine, plan, &stories).await?;
    attempts::check(&mut verdict, &stories, &ledger);
    control::check(&mut verdict, &stories);
    trees::check(&mut verdict, plan, &stories);
    messages::check(&mut verdict, plan, &stories, &answers);
    quiet::check(&mut verdict, engine, place, &stories).await?;
    Ok((verdict, stories))
}
