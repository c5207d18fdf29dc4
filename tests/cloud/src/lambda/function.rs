//! A function: its instances, and the assignment of invocations to them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use rustix::process::{Pid, Signal};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::lambda::instance::Instance;
use crate::lambda::process::{is_frozen, signal};
use crate::lambda::{Failure, Lineage, MOST_BYTES, MOST_HOPS, Report, Spec};

/// A deployed function. Clones are the same function; its processes end with the last of them.
#[derive(Debug, Clone)]
pub struct Function(Arc<Deployed>);

#[derive(Debug)]
struct Deployed {
    spec: Spec,
    pool: Mutex<Pool>,
    reports: Mutex<Vec<Report>>,
    /// The longest chain so far.
    hops: AtomicU64,
}

#[derive(Debug, Default)]
struct Pool {
    idle: Vec<Instance>,
    /// All instances, by number; without a pid while they are being started.
    live: BTreeMap<u64, Live>,
    last: u64,
}

#[derive(Debug, Clone, Copy)]
struct Live {
    pid: Option<Pid>,
    busy: bool,
}

enum Taken {
    Warm(Box<Instance>),
    New(u64),
}

impl Function {
    /// Deploys it. No process is started before the first invocation.
    #[must_use]
    pub fn new(spec: Spec) -> Self {
        Self(Arc::new(Deployed {
            spec,
            pool: Mutex::default(),
            reports: Mutex::default(),
            hops: AtomicU64::default(),
        }))
    }

    /// Its specification.
    #[must_use]
    pub fn spec(&self) -> &Spec {
        &self.0.spec
    }

    /// Invokes it and waits for the response. As on Lambda, an invocation continues if the caller
    /// stops waiting.
    ///
    /// # Errors
    /// [`Failure`] specifies how it failed.
    pub async fn invoke(&self, event: impl Into<Bytes>) -> Result<Bytes, Failure> {
        self.invoke_after(Lineage::default(), event).await
    }

    /// Does the same for an event of a chain.
    ///
    /// # Errors
    /// [`Failure`]; [`Failure::Loop`] if the chain is stopped here.
    pub async fn invoke_after(
        &self,
        chain: Lineage,
        event: impl Into<Bytes>,
    ) -> Result<Bytes, Failure> {
        let event = event.into();
        let spec = &self.0.spec;
        let lineage = chain.next(&spec.name);
        let hops = lineage.hops(&spec.name);
        if hops > MOST_HOPS && !spec.loops {
            let function = spec.name.clone();
            return Err(Failure::Loop { function, hops });
        }
        self.0.hops.fetch_max(hops, Ordering::Relaxed);
        if event.len() > MOST_BYTES {
            return Err(Failure::EventTooLarge { bytes: event.len() });
        }
        let (sender, outcome) = oneshot::channel();
        tokio::spawn(Arc::clone(&self.0).serve(event, lineage, sender));
        outcome.await.expect("it sends before it ends")
    }

    /// Kills an instance with SIGKILL, a busy one if there is one; `pick` selects among them.
    /// Returns its number.
    pub fn kill_one(&self, pick: u64) -> Option<u64> {
        let mut pool = self.0.pool();
        let chosen = |busy| {
            let all = pool.live.iter().filter(|(_, live)| live.busy == busy);
            let all: Vec<_> = all.collect();
            let index = usize::try_from(pick).unwrap_or(0) % all.len().max(1);
            let (number, live) = all.get(index)?;
            Some((**number, live.pid?))
        };
        let (number, pid) = chosen(true).or_else(|| chosen(false))?;
        signal(pid, Signal::KILL);
        // An idle one receives no more work, however long its exit takes.
        pool.idle.retain(|instance| instance.number != number);
        if pool.live.get(&number).is_some_and(|live| !live.busy) {
            pool.live.remove(&number);
        }
        Some(number)
    }

    /// Ends all idle instances, as Lambda does with unused ones; returns their number.
    pub async fn retire(&self) -> usize {
        let idle = std::mem::take(&mut self.0.pool().idle);
        let count = idle.len();
        for mut instance in idle {
            instance.end().await;
            self.0.pool().live.remove(&instance.number);
        }
        count
    }

    /// The number of instances, idle or not.
    #[must_use]
    pub fn instances(&self) -> usize {
        self.0.pool().live.len()
    }

    /// The number of its processes that are frozen now.
    #[must_use]
    pub fn frozen(&self) -> usize {
        let pool = self.0.pool();
        pool.live
            .values()
            .filter(|live| live.pid.is_some_and(is_frozen))
            .count()
    }

    /// Its invocations in the longest chain so far.
    #[must_use]
    pub fn hops(&self) -> u64 {
        self.0.hops.load(Ordering::Relaxed)
    }

    /// The reports of its invocations so far.
    #[must_use]
    pub fn reports(&self) -> Vec<Report> {
        self.0.reports.lock().expect("no holder panics").clone()
    }
}

impl Deployed {
    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().expect("no holder panics")
    }

    async fn serve(
        self: Arc<Self>,
        event: Bytes,
        lineage: Lineage,
        sender: oneshot::Sender<Result<Bytes, Failure>>,
    ) {
        let request_id = request_id();
        let mut instance = match self.find().await {
            Ok(instance) => instance,
            Err(failure) => {
                if failure.is_end() {
                    self.report(Report {
                        request_id,
                        instance: 0,
                        begun: SystemTime::now(),
                        init: None,
                        took: Duration::ZERO,
                        peak_kb: None,
                        failure: Some(failure.clone()),
                    });
                }
                let _ = sender.send(Err(failure));
                return;
            }
        };
        let (begun, at, number) = (Instant::now(), SystemTime::now(), instance.number);
        let id = request_id.clone();
        let outcome = instance.invoke(&self.spec, id, &lineage, event).await;
        self.report(Report {
            request_id,
            instance: number,
            begun: at,
            init: instance.init.take(),
            took: begun.elapsed(),
            peak_kb: instance.peak_kb(),
            failure: outcome.as_ref().err().cloned(),
        });
        let ended = outcome.as_ref().is_err_and(Failure::is_end);
        if ended {
            self.pool().live.remove(&number);
        } else if let Some(live) = self.pool().live.get_mut(&number) {
            live.busy = false;
        }
        // The caller receives its response before the instance asks for more work.
        let _ = sender.send(outcome);
        if ended {
            return;
        }
        if instance.rest().await {
            self.pool().idle.push(*instance);
        } else {
            self.pool().live.remove(&number);
        }
    }

    /// Returns an idle instance, or a new one.
    async fn find(&self) -> Result<Box<Instance>, Failure> {
        let number = match self.take()? {
            Taken::Warm(instance) => return Ok(instance),
            Taken::New(number) => number,
        };
        let started = Instance::start(&self.spec, number, |pid| {
            if let Some(live) = self.pool().live.get_mut(&number) {
                live.pid = Some(pid);
            }
        });
        let started = started.await;
        if started.is_err() {
            self.pool().live.remove(&number);
        }
        Ok(Box::new(started?))
    }

    fn take(&self) -> Result<Taken, Failure> {
        let mut pool = self.pool();
        while let Some(mut instance) = pool.idle.pop() {
            if instance.lives() {
                if let Some(live) = pool.live.get_mut(&instance.number) {
                    live.busy = true;
                }
                return Ok(Taken::Warm(Box::new(instance)));
            }
            pool.live.remove(&instance.number);
        }
        let limit = self.spec.concurrency;
        // An instance that has responded and not yet asked for more has no invocation any more.
        if pool.live.values().filter(|live| live.busy).count() >= limit {
            let function = self.spec.name.clone();
            return Err(Failure::Throttled { function, limit });
        }
        pool.last += 1;
        let number = pool.last;
        pool.live.insert(
            number,
            Live {
                pid: None,
                busy: true,
            },
        );
        Ok(Taken::New(number))
    }

    fn report(&self, report: Report) {
        self.reports.lock().expect("no holder panics").push(report);
    }
}

fn request_id() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    uuid::Builder::from_random_bytes(bytes)
        .into_uuid()
        .to_string()
}
