//! All processes of a run.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use crate::Trouble;
use crate::member::{CLIENT, Member};
use crate::options::Options;
use crate::place::Place;

/// Timeout of a worker's handover: a step of this application takes 3 s at most.
const LEAVE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct Fleet {
    pub(crate) members: Vec<Member>,
    /// Processes that exited unexpectedly.
    pub(crate) findings: Vec<String>,
}

impl Fleet {
    pub(crate) fn new(options: &Options, place: &Place) -> Self {
        let mut members = Vec::new();
        for number in 1..=options.workers {
            let words = worker(options, place);
            members.push(Member::new(format!("worker-{number}"), words, place));
        }
        for part in ["sweeper", CLIENT] {
            let words = [vec![part.into()], options.words()].concat();
            members.push(Member::new(part, words, place));
        }
        Self {
            members,
            findings: Vec::new(),
        }
    }

    /// Starts processes that are due, resumes stopped ones, detects exits.
    pub(crate) fn tend(&mut self) -> Result<(), Trouble> {
        let now = Instant::now();
        for member in &mut self.members {
            self.findings.extend(member.tend(now)?);
        }
        Ok(())
    }

    /// Whether the client has performed all its operations.
    pub(crate) fn is_told(&self) -> bool {
        self.members
            .iter()
            .any(|member| member.name == CLIENT && member.is_done())
    }

    pub(crate) fn calm(&mut self) {
        self.members.iter_mut().for_each(Member::calm);
    }

    pub(crate) fn lives(&self) -> u32 {
        self.members.iter().map(|member| member.lives).sum()
    }

    /// Stops all processes.
    pub(crate) fn end(&mut self) -> Result<(), Trouble> {
        for member in &mut self.members {
            if !member.is_done() {
                self.findings.extend(member.end(LEAVE)?);
            }
        }
        Ok(())
    }
}

fn worker(options: &Options, place: &Place) -> Vec<OsString> {
    let mut pond = OsString::from("sqlite:");
    pond.push(place.pond());
    let words = ["worker", "--no-fsync", "--log", "warn", "--ttl"];
    let mut words: Vec<OsString> = words.map(Into::into).into();
    words.extend([options.ttl.to_string().into(), "--bucket".into(), pond]);
    words
}
