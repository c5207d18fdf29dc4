//! An external client: starts, sends, cancels, and repeats each request until it is answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::chronicle::Chronicle;
use super::interpret::{WORKFLOW, channel_name};
use super::plan::{Act, ActVerb, Plan};
use crate::ExecutionId;
use crate::client::{Engine, EngineError, Signal, Start};
use crate::domain::{Actor, FrameId, MessageId, RetryRequest, Text};
use crate::ports::Clock;

/// The state shared by all lives of the client.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) plan: Arc<Plan>,
    pub(super) roots: Arc<Vec<ExecutionId>>,
    pub(super) starts: Arc<Vec<Start>>,
    pub(super) chronicle: Arc<Chronicle>,
    /// The number of acts that were answered.
    done: Arc<AtomicUsize>,
}

/// The dispatch key of a root.
pub(super) fn key_of(root: usize) -> String {
    format!("root {root}")
}

impl Client {
    pub(super) fn new(
        plan: Arc<Plan>,
        roots: Arc<Vec<ExecutionId>>,
        starts: Arc<Vec<Start>>,
        chronicle: Arc<Chronicle>,
    ) -> Self {
        Self {
            plan,
            roots,
            starts,
            chronicle,
            done: Arc::default(),
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.done.load(Ordering::SeqCst) >= self.plan.acts.len() + self.starts.len()
    }

    /// Continues after the last act that an earlier life completed.
    pub(super) fn acts(self, engine: &Engine) -> BoxFuture<'static, ()> {
        let engine = engine.clone();
        let all = async move {
            let clock = Arc::clone(&engine.core().ports.clock);
            while !self.is_done() {
                let at = self.done.load(Ordering::SeqCst);
                self.one(&engine, &*clock, at).await;
                self.done.fetch_add(1, Ordering::SeqCst);
            }
            // The client does not exit by itself; its caller decides.
            std::future::pending::<()>().await;
        };
        all.boxed()
    }

    async fn one(&self, engine: &Engine, clock: &dyn Clock, at: usize) {
        let act = self.plan.acts.get(at).copied();
        clock
            .sleep(Duration::from_millis(act.map_or(100, |act| act.after)))
            .await;
        loop {
            let reply = match act {
                Some(act) => self.act(engine, act, at).await,
                None => {
                    let start = self.starts[at - self.plan.acts.len()].clone();
                    engine.start(start).await.map(drop)
                }
            };
            match reply {
                Ok(())
                | Err(
                    EngineError::TerminalExecution { .. }
                    | EngineError::UnknownExecution { .. }
                    | EngineError::NotRetried { .. },
                ) => return,
                Err(_) => clock.sleep(Duration::from_secs(1)).await,
            }
        }
    }

    async fn act(&self, engine: &Engine, act: Act, at: usize) -> Result<(), EngineError> {
        let (eid, by) = (self.roots[act.root], Actor::human("ada"));
        match act.verb {
            ActVerb::Start(later) => {
                let start = Start::new(WORKFLOW)
                    .input(&self.plan.roots[act.root])
                    .key(key_of(act.root));
                let start = match later {
                    0 => start,
                    later => {
                        let wait = jiff::SignedDuration::from_millis(later.cast_signed());
                        let due = engine.core().ports.clock.now().checked_add(wait);
                        start.at(due.unwrap_or(jiff::Timestamp::MAX))
                    }
                };
                engine.start(start).await.map(drop)
            }
            ActVerb::Signal(channel) => {
                let (channel, key) = (channel_name(channel), format!("act {at}"));
                let signal = Signal::on(channel.as_str()).value(&(at as u64));
                engine.signal(eid, signal.key(key.as_str())).await?;
                if let Ok(key) = Text::parse(&key) {
                    let mid = MessageId::keyed(&channel, &key);
                    self.chronicle.open().acknowledged.push((eid, mid));
                }
                Ok(())
            }
            ActVerb::Cancel => engine.cancel(eid, "enough", by).await,
            ActVerb::Terminate => engine.terminate(eid, "at once", by).await,
            ActVerb::Pause => engine.pause(eid, "wait", by).await,
            ActVerb::Resume => engine.resume(eid, by).await,
            ActVerb::Retry(reset) => {
                let request = RetryRequest {
                    from: reset.then(first_step),
                    ..RetryRequest::new()
                };
                engine.retry(eid, request, by).await
            }
        }
    }
}

/// The step with which many programs begin.
fn first_step() -> FrameId {
    FrameId::parse("root/work#0").expect("it is the id of a frame")
}

/// Cancels all of these, and repeats each request until it is acknowledged.
pub(super) async fn cancel_all(engine: Engine, open: Vec<ExecutionId>) {
    for eid in open {
        loop {
            let reply = engine.cancel(eid, "closing", Actor::human("ada")).await;
            match reply {
                Ok(()) | Err(EngineError::TerminalExecution { .. }) => break,
                Err(_) => {
                    engine
                        .core()
                        .ports
                        .clock
                        .sleep(Duration::from_secs(1))
                        .await;
                }
            }
        }
    }
}
