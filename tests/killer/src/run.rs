//! A run: kill, rest, judge.

use std::process::ExitCode;
use std::time::Instant;

use millpond::client::chain;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::fleet::Fleet;
use crate::judge::{Broken, judge};
use crate::options::Options;
use crate::place::Place;
use crate::plan::Plan;
use crate::rest::rest;
use crate::{Trouble, killer, report};

pub(crate) fn main(options: Options) -> ExitCode {
    exit(run(options))
}

/// Judges the folder of a completed run again.
pub(crate) fn again(options: &Options) -> ExitCode {
    exit(look(options))
}

fn exit(outcome: Result<bool, Trouble>) -> ExitCode {
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("the run could not be made: {}", chain(&*error));
            ExitCode::FAILURE
        }
    }
}

/// Whether all invariants hold.
fn run(mut options: Options) -> Result<bool, Trouble> {
    let temporary = TempDir::with_prefix("millpond-killer-")?;
    let own = options.folder.clone();
    let place = Place::new(own.unwrap_or_else(|| temporary.path().to_owned()));
    std::fs::create_dir_all(place.folder())?;
    if place.pond().exists() {
        return Err(format!("{} is not empty", place.folder().display()).into());
    }
    println!("seed {} in {}", options.seed, place.folder().display());
    let plan = Plan::new(options.seed, options.workflows, options.span());
    let runtime = Runtime::new()?;
    let engine = runtime.block_on(async { place.engine(options.ttl()) })?;
    options.begin();
    let began = Instant::now();
    let mut fleet = Fleet::new(&options, &place);
    let tally = killer::rage(&mut fleet, &options)?;
    let raged = began.elapsed();
    let patience = std::time::Duration::from_secs_f64(options.rest);
    let rest = rest(&mut fleet, &runtime, &engine, patience)?;
    let rested = began.elapsed().saturating_sub(raged);
    fleet.end()?;
    let (verdict, stories) = runtime.block_on(judge(&engine, &place, &plan))?;
    let lives = fleet.lives();
    report::figures(&options, &tally, lives, &rest, &verdict, (raged, rested));
    let torn = verdict.torn as u64 > tally.kills + tally.terminated;
    let torn = torn.then(|| ("ledger", format!("{} lines are torn", verdict.torn)));
    let ends = fleet.findings.drain(..).map(|what| ("process", what));
    let restless = rest.restless.into_iter().map(|what| ("I4", what));
    let more = torn.into_iter().chain(ends).chain(restless);
    let about_all = |(rule, what)| Broken {
        rule,
        eid: None,
        what,
    };
    // The cause comes first: if a process or the rest failed, many other findings are consequences.
    let broken: Vec<_> = more.map(about_all).chain(verdict.broken).collect();
    if broken.is_empty() {
        println!("everything holds");
        return Ok(true);
    }
    report::findings(&options, &place, &broken, &stories);
    let _kept = temporary.keep();
    Ok(false)
}

fn look(options: &Options) -> Result<bool, Trouble> {
    let folder = options.folder.as_ref().ok_or("which --folder?")?;
    let place = Place::new(folder);
    if !place.pond().is_file() {
        return Err(format!("{} holds no run", folder.display()).into());
    }
    let plan = Plan::new(options.seed, options.workflows, options.span());
    let runtime = Runtime::new()?;
    let engine = runtime.block_on(async { place.engine(options.ttl()) })?;
    let (verdict, stories) = runtime.block_on(judge(&engine, &place, &plan))?;
    if verdict.broken.is_empty() {
        println!("everything holds");
    } else {
        report::findings(options, &place, &verdict.broken, &stories);
    }
    Ok(verdict.broken.is_empty())
}
