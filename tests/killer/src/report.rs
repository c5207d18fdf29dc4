//! The output of a run.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::judge::{Broken, Stories, Verdict};
use crate::killer::Tally;
use crate::options::Options;
use crate::place::Place;
use crate::rest::Rest;

/// Maximum number of findings, and of journals, that are printed.
const SHOWN: usize = 20;
const JOURNALS: usize = 3;

/// The statistics, one line each.
pub(crate) fn figures(
    options: &Options,
    tally: &Tally,
    lives: u32,
    rest: &Rest,
    verdict: &Verdict,
    (raged, rested): (Duration, Duration),
) {
    let figures = &verdict.figures;
    println!("seed                {}", options.seed);
    println!("workflows           {}", options.workflows);
    println!("executions          {}", verdict.executions);
    println!("commits             {}", verdict.commits);
    println!("killed              {}", tally.kills);
    println!(
        "stopped             {} ({} past the TTL)",
        tally.stops, tally.long_stops
    );
    println!("terminated          {}", tally.terminated);
    println!("lives of processes  {lives}");
    println!("attempts            {}", figures.started);
    println!("  with an effect    {}", figures.effects);
    println!("  lost              {}", figures.lost);
    println!("  failed, repeated  {}", figures.failed);
    println!("  late effects      {}", figures.late);
    println!("messages absorbed   {}", verdict.absorbed);
    println!(
        "  within            {:.1} s",
        verdict.longest_wait.as_secs_f64()
    );
    println!("stalled, resumed    {}", rest.resumed);
    println!("torn lines          {}", verdict.torn);
    println!("killing             {:.1} s", raged.as_secs_f64());
    println!("coming to rest      {:.1} s", rested.as_secs_f64());
}

/// The violations, with journals and the folder of the run.
pub(crate) fn findings(options: &Options, place: &Place, broken: &[Broken], stories: &Stories) {
    eprintln!("{} findings, seed {}:", broken.len(), options.seed);
    for one in broken.iter().take(SHOWN) {
        eprintln!("  {one}");
    }
    let about: BTreeSet<_> = broken.iter().filter_map(|one| one.eid).collect();
    let about = about.iter().filter_map(|eid| stories.get(eid));
    for story in about.take(JOURNALS) {
        eprintln!("journal of {} {}:", story.eid, story.name());
        for commit in &story.commits {
            let mut line = serde_json::to_string(commit).unwrap_or_else(|e| e.to_string());
            if let Some((end, _)) = line.char_indices().nth(2_000) {
                line.truncate(end);
            }
            eprintln!("  {line}");
        }
    }
    eprintln!("the folder is kept: {}", place.folder().display());
}
