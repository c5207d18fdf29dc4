//! One instance: a process, its Runtime API, and its current work.

use std::fs::File;
use std::process::Stdio;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use rustix::process::{Pid, Signal};
use tokio::process::{Child, Command};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

use crate::lambda::api::{Api, Event, Work};
use crate::lambda::process::{peak_kb, resident_kb, signal};
use crate::lambda::{Failure, Lineage, Spec};

/// Interval at which the memory of a busy instance is checked.
const LOOK: Duration = Duration::from_millis(20);

/// A process that has asked for an invocation, and is frozen until one arrives.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) number: u64,
    pub(crate) pid: Pid,
    child: Child,
    api: Api,
    /// The deadline of its work.
    deadline: Instant,
    /// Its cold start, until a report includes it.
    pub(crate) init: Option<Duration>,
}

impl Instance {
    /// Starts a process and waits until it asks for its first invocation. `known` receives its pid.
    pub(crate) async fn start(
        spec: &Spec,
        number: u64,
        known: impl FnOnce(Pid),
    ) -> Result<Self, Failure> {
        let api = Api::start().await.map_err(start)?;
        let (out, err) = output(spec).map_err(start)?;
        let begun = Instant::now();
        let child = Command::new(&spec.binary)
            .env_clear()
            .envs(spec.variables(&api.address(), number))
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            // A process group of its own: an interrupt of the tests does not reach the function.
            // When this process dies, the system resumes stopped groups and sends them SIGHUP.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(start)?;
        let pid = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let pid = pid.expect("it has not been waited for");
        known(pid);
        let mut instance = Self {
            number,
            pid,
            child,
            api,
            deadline: begun + spec.init_timeout,
            init: None,
        };
        let begins = timeout(spec.init_timeout, instance.begins()).await;
        let begins = begins.unwrap_or_else(|_| {
            Err(Failure::Init {
                kind: "Sandbox.Timedout".to_owned(),
                message: format!(
                    "no next within {:.2} seconds",
                    spec.init_timeout.as_secs_f64()
                ),
            })
        });
        if let Err(failure) = begins {
            instance.end().await;
            return Err(failure);
        }
        instance.init = Some(begun.elapsed());
        instance.freeze();
        Ok(instance)
    }

    async fn begins(&mut self) -> Result<(), Failure> {
        let init = |kind: String, message: String| Err(Failure::Init { kind, message });
        tokio::select! {
            biased;
            event = self.api.event() => match event {
                Event::Ready => Ok(()),
                Event::InitError { kind, message } => init(kind, message),
                other => init("Runtime.Protocol".to_owned(), format!("{other:?} before next")),
            },
            status = self.child.wait() => init("Runtime.ExitError".to_owned(), how(status)),
        }
    }

    /// Passes an event to the process.
    pub(crate) async fn invoke(
        &mut self,
        spec: &Spec,
        request_id: String,
        lineage: &Lineage,
        event: Bytes,
    ) -> Result<Bytes, Failure> {
        self.deadline = Instant::now() + spec.timeout;
        let deadline = SystemTime::now() + spec.timeout;
        let deadline_ms = deadline
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_millis();
        self.thaw();
        let trace = format!("{};Lineage={lineage}", trace(&request_id));
        self.api.offer(Work {
            request_id,
            event,
            deadline_ms,
            arn: spec.arn(),
            trace,
        });
        let outcome = self.outcome(spec).await;
        if outcome.as_ref().is_err_and(Failure::is_end) {
            self.end().await;
        }
        outcome
    }

    async fn outcome(&mut self, spec: &Spec) -> Result<Bytes, Failure> {
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                event = self.api.event() => match event {
                    Event::Response(body) => return Ok(body),
                    Event::TooLarge(bytes) => return Err(Failure::ResponseTooLarge { bytes }),
                    Event::Error { kind, message } => return Err(Failure::Handled { kind, message }),
                    Event::InitError { kind, message } => return Err(Failure::Init { kind, message }),
                    // A second connection may ask as well; the first of them receives the work.
                    Event::Ready => {}
                },
                status = self.child.wait() => return Err(Failure::Exited { status: how(status) }),
                () = sleep_until(self.deadline) => return Err(Failure::TimedOut { after: spec.timeout }),
                _ = looks.tick() => {
                    let used_kb = resident_kb(self.pid).unwrap_or(0);
                    if used_kb > spec.memory_mb * 1024 {
                        return Err(Failure::OutOfMemory { used_kb, limit_mb: spec.memory_mb });
                    }
                }
            }
        }
    }

    /// Waits until it asks for its next invocation, at most until its deadline, and freezes it.
    /// Returns whether it met the deadline.
    pub(crate) async fn rest(&mut self) -> bool {
        let rests = tokio::select! {
            biased;
            event = self.api.event() => matches!(event, Event::Ready),
            _ = self.child.wait() => false,
            () = sleep_until(self.deadline) => false,
        };
        match rests {
            true => self.freeze(),
            false => self.end().await,
        }
        rests
    }

    /// Whether the process exists.
    pub(crate) fn lives(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    pub(crate) fn peak_kb(&self) -> Option<u64> {
        peak_kb(self.pid)
    }

    /// Kills the process and waits for its exit.
    pub(crate) async fn end(&mut self) {
        // It fails only for a process that has exited.
        let _ = self.child.kill().await;
    }

    fn freeze(&self) {
        signal(self.pid, Signal::STOP);
    }

    fn thaw(&self) {
        signal(self.pid, Signal::CONT);
    }
}

fn output(spec: &Spec) -> std::io::Result<(Stdio, Stdio)> {
    let Some(path) = &spec.log else {
        return Ok((Stdio::null(), Stdio::null()));
    };
    let out = File::options().create(true).append(true).open(path)?;
    Ok((out.try_clone()?.into(), out.into()))
}

#[expect(clippy::needless_pass_by_value, reason = "used in map_err")]
fn start(error: std::io::Error) -> Failure {
    Failure::Start {
        why: error.to_string(),
    }
}

fn how(status: std::io::Result<std::process::ExitStatus>) -> String {
    status.map_or_else(|error| error.to_string(), |status| status.to_string())
}

/// An X-Ray header: the digits of the request id serve as the trace id.
fn trace(request_id: &str) -> String {
    let digits: String = request_id.chars().filter(char::is_ascii_hexdigit).collect();
    let (first, rest) = digits.split_at(8);
    format!("Root=1-{first}-{rest};Parent={};Sampled=0", &digits[..16])
}
