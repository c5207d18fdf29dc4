//! One process of a run, across its restarts.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::Trouble;
use crate::place::{FOLDER, Place};

/// The number of `SIGTERM`, which ends a process that has no handler for it yet.
const TERM: i32 = 15;
/// The exit code of a worker that received two signals.
const AT_ONCE: i32 = 130;

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) lives: u32,
    words: Vec<OsString>,
    place: Place,
    child: Option<Child>,
    state: State,
    /// The number of `SIGTERM` signals: the second one skips the handover.
    terminated: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Runs,
    Stopped {
        until: Instant,
    },
    Gone {
        back: Instant,
    },
    /// It has completed its work.
    Done,
}

impl Member {
    /// Not started yet; the first [`tend`](Self::tend) starts it.
    pub(crate) fn new(name: impl Into<String>, words: Vec<OsString>, place: &Place) -> Self {
        Self {
            name: name.into(),
            lives: 0,
            words,
            place: place.clone(),
            child: None,
            state: State::Gone {
                back: Instant::now(),
            },
            terminated: 0,
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    pub(crate) fn runs(&self) -> bool {
        self.state == State::Runs
    }

    pub(crate) fn is_there(&self) -> bool {
        matches!(self.state, State::Runs | State::Stopped { .. })
    }

    fn start(&mut self) -> Result<(), Trouble> {
        let log = self.place.log(&self.name);
        let log = File::options().create(true).append(true).open(log)?;
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(&self.words)
            .env(FOLDER, self.place.folder())
            .env_remove("MILLPOND_TTL")
            .env_remove("MILLPOND_BUCKET")
            .env_remove("MILLPOND_CODE_REF")
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        self.child = Some(command.spawn()?);
        (self.state, self.terminated) = (State::Runs, 0);
        self.lives += 1;
        Ok(())
    }

    /// Sends `SIGKILL` at any point; the process is restarted after `pause`.
    pub(crate) fn kill(&mut self, pause: Duration) -> Result<(), Trouble> {
        if let Some(mut child) = self.child.take() {
            child.kill()?;
            child.wait()?;
            let back = Instant::now() + pause;
            self.state = State::Gone { back };
        }
        Ok(())
    }

    /// Sends `SIGSTOP`, and resumes the process after this time.
    pub(crate) fn stop(&mut self, long: Duration) -> Result<(), Trouble> {
        self.signal(Signal::STOP)?;
        let until = Instant::now() + long;
        self.state = State::Stopped { until };
        Ok(())
    }

    /// Sends `SIGTERM`: the process hands over, exits, and is restarted.
    pub(crate) fn terminate(&mut self) -> Result<(), Trouble> {
        self.terminated += 1;
        self.signal(Signal::TERM)
    }

    fn signal(&self, signal: Signal) -> Result<(), Trouble> {
        let Some(child) = &self.child else {
            return Ok(());
        };
        // Not waited for yet, so the process id is not reused.
        Ok(kill_process(Pid::from_child(child), signal)?)
    }

    /// Performs the actions that are due; returns a finding if the process exited unexpectedly.
    pub(crate) fn tend(&mut self, now: Instant) -> Result<Option<String>, Trouble> {
        match self.state {
            State::Stopped { until } if until <= now => {
                self.signal(Signal::CONT)?;
                self.state = State::Runs;
            }
            State::Gone { back } if back <= now => self.start()?,
            _ => {}
        }
        let ended = match &mut self.child {
            Some(child) => child.try_wait()?,
            None => None,
        };
        let Some(status) = ended else {
            return Ok(None);
        };
        self.child = None;
        self.state = State::Gone { back: now };
        if went(status, self.terminated) {
            return Ok(None);
        }
        self.state = State::Done;
        let well = status.success() && self.name == CLIENT;
        Ok((!well).then(|| format!("{} ended by itself: {status}", self.name)))
    }

    /// Resumes it if it is stopped, and restarts it at once if it has exited.
    pub(crate) fn calm(&mut self) {
        let now = Instant::now();
        match &mut self.state {
            State::Stopped { until } => *until = now,
            State::Gone { back } => *back = now,
            State::Runs | State::Done => {}
        }
    }

    /// Terminates it and waits for its exit; returns a finding if that failed.
    pub(crate) fn end(&mut self, patience: Duration) -> Result<Option<String>, Trouble> {
        self.terminate()?;
        let Some(mut child) = self.child.take() else {
            return Ok(None);
        };
        let last = Instant::now() + patience;
        let status = loop {
            match child.try_wait()? {
                None if Instant::now() < last => std::thread::sleep(Duration::from_millis(5)),
                status => break status,
            }
        };
        self.state = State::Done;
        let Some(status) = status else {
            child.kill()?;
            child.wait()?;
            return Ok(Some(format!("{} does not end after SIGTERM", self.name)));
        };
        Ok((!went(status, self.terminated))
            .then(|| format!("{} ended wrongly after SIGTERM: {status}", self.name)))
    }
}

/// The only process that exits by itself.
pub(crate) const CLIENT: &str = "client";

/// Whether the exit status is the expected one after that number of signals.
fn went(status: ExitStatus, terminated: u32) -> bool {
    match terminated {
        0 => false,
        1 => status.success() || status.signal() == Some(TERM),
        _ => went(status, 1) || status.code() == Some(AT_ONCE),
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
