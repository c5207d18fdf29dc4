//! A running attempt of a step, as its function sees it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt as _;
use futures::channel::oneshot;
use futures::future::Shared;
use jiff::Timestamp;

use super::states::{State, States};
use crate::domain::{Digest, ExecutionId, FrameId};

/// One attempt of a step, for functions that ask for it. Cheap to clone.
///
/// ```
/// use millpond::{Attempt, Context, Failed, StepError};
///
/// async fn charge(attempt: Attempt, cents: u64) -> Result<String, StepError> {
///     let key = attempt.idempotency_key(); // the same for every attempt of this step
///     Ok(format!("charged {cents} under {key}"))
/// }
///
/// async fn order(ctx: Context, cents: u64) -> Result<String, Failed> {
///     Ok(ctx.call("charge", charge, &cents).await?)
/// }
/// # let _ = millpond::sdk::erase_fn(order);
/// ```
#[derive(Clone)]
pub struct Attempt(Arc<Inner>, States);

struct Inner {
    eid: ExecutionId,
    fid: FrameId,
    number: u32,
    key: String,
    deadline: Option<Timestamp>,
    cancelled: AtomicBool,
    signal: Shared<oneshot::Receiver<()>>,
}

/// Cancels one attempt. Dropping it cancels nothing.
pub(crate) struct Canceller {
    attempt: Attempt,
    signal: Option<oneshot::Sender<()>>,
}

impl Attempt {
    /// The `number`th attempt (1, 2, ...) of the step `fid`, which began in `generation`, and the
    /// handle that cancels it.
    pub(crate) fn new(
        eid: ExecutionId,
        generation: u32,
        fid: FrameId,
        number: u32,
        deadline: Option<Timestamp>,
    ) -> (Self, Canceller) {
        let (sender, receiver) = oneshot::channel();
        let inner = Inner {
            key: idempotency_key(&eid, generation, &fid),
            eid,
            fid,
            number,
            deadline,
            cancelled: AtomicBool::new(false),
            signal: receiver.shared(),
        };
        let attempt = Self(Arc::new(inner), States::default());
        let canceller = Canceller {
            attempt: attempt.clone(),
            signal: Some(sender),
        };
        (attempt, canceller)
    }

    /// The same attempt with the values of the application.
    pub(crate) fn with(self, states: &States) -> Self {
        Self(self.0, states.clone())
    }

    /// The value of this type that [`App::state`](crate::client::App::state) has set; `None` if
    /// there is none. Costs no request.
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<State<T>> {
        self.1.get()
    }

    /// The execution.
    #[must_use]
    pub fn eid(&self) -> ExecutionId {
        self.0.eid
    }

    /// The frame.
    #[must_use]
    pub fn fid(&self) -> &FrameId {
        &self.0.fid
    }

    /// 1, 2, ...
    #[must_use]
    pub fn number(&self) -> u32 {
        self.0.number
    }

    /// 32 hex digits, the same for every attempt of this step and for no other step: the
    /// key to give to a payment provider, so that a second attempt is no second charge.
    #[must_use]
    pub fn idempotency_key(&self) -> &str {
        &self.0.key
    }

    /// When the attempt is cancelled, if its step has a time-out.
    #[must_use]
    pub fn deadline(&self) -> Option<Timestamp> {
        self.0.deadline
    }

    /// Whether the attempt is to stop: its time-out has passed, or its value is no longer needed.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    /// Returns when the attempt is to stop, and never otherwise.
    pub async fn cancelled(&self) {
        if self.0.signal.clone().await.is_err() && !self.is_cancelled() {
            // The canceller was dropped without a signal: nothing will cancel this attempt.
            futures::future::pending::<()>().await;
        }
    }
}

impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt")
            .field("eid", &self.0.eid)
            .field("fid", &self.0.fid)
            .field("number", &self.0.number)
            .field("deadline", &self.0.deadline)
            .field("is_cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}

impl Canceller {
    /// Asks the attempt to stop. A second time does nothing.
    pub(crate) fn cancel(&mut self) {
        self.attempt.0.cancelled.store(true, Ordering::SeqCst);
        if let Some(signal) = self.signal.take() {
            let _ = signal.send(()); // without a receiver the flag is enough
        }
    }
}

impl fmt::Debug for Canceller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Canceller").field(&self.attempt).finish()
    }
}

/// Stable over attempts, hosts and versions; different for each frame of each generation of each
/// execution. The parts have a fixed length, except for the last.
pub(crate) fn idempotency_key(eid: &ExecutionId, generation: u32, fid: &FrameId) -> String {
    let uuid = eid.uuid();
    let parts = [
        uuid.as_bytes(),
        &generation.to_be_bytes()[..],
        fid.as_str().as_bytes(),
    ];
    Digest::of(&parts.concat()).short().to_owned()
}
