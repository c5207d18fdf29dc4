//! Other processes of this binary: workers, and an operator's commands.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::Trouble;
use super::place::Place;
use crate::bank::LEDGER;

/// The lease duration in seconds, after which the executions of a killed worker are taken over.
/// Short, for the demo.
const TTL: &str = "2";

/// A worker process. Dropping it kills it.
#[derive(Debug)]
pub(super) struct WorkerProcess {
    child: Child,
    logs: PathBuf,
}

impl WorkerProcess {
    /// Starts `worker`, with its output in a log beside the pond.
    pub(super) fn start(place: &Place, name: &str) -> Result<Self, Trouble> {
        let log = File::create(place.logs.join(format!("{name}.log")))
            .map_err(Trouble::os("making a log"))?;
        let errors = log.try_clone().map_err(Trouble::os("making a log"))?;
        let child = itself(place, &["worker", "--ttl", TTL])?
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(errors)
            .spawn()
            .map_err(Trouble::os("starting a worker"))?;
        Ok(Self {
            child,
            logs: place.logs.clone(),
        })
    }

    /// The process id.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Fails if the worker has ended: it must end only by the kill.
    pub(super) fn check_alive(&mut self) -> Result<(), Trouble> {
        match self
            .child
            .try_wait()
            .map_err(Trouble::os("waiting for a worker"))?
        {
            None => Ok(()),
            Some(_) => Err(Trouble::Ended {
                logs: self.logs.clone(),
            }),
        }
    }

    /// Kills it with SIGKILL: without cleanup.
    pub(super) fn kill(mut self) -> Result<(), Trouble> {
        self.child.kill().map_err(Trouble::os("killing a worker"))?;
        self.child.wait().map_err(Trouble::os("killing a worker"))?;
        Ok(())
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill(); // an error means that it has already exited
        let _ = self.child.wait();
    }
}

/// Runs one command of this binary to its end, and returns its output.
pub(super) fn command(place: &Place, words: &[&str]) -> Result<String, Trouble> {
    let output = itself(place, words)?
        .stdin(Stdio::null())
        .output()
        .map_err(Trouble::os("running a command"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(Trouble::Command {
        command: words.join(" "),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

fn itself(place: &Place, words: &[&str]) -> Result<Command, Trouble> {
    let binary = std::env::current_exe().map_err(Trouble::os("finding this binary"))?;
    let mut command = Command::new(binary);
    command
        .args(words)
        .args(["--bucket", &place.bucket()])
        .env(LEDGER, &place.ledger);
    Ok(command)
}
