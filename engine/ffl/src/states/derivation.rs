//! The states of a run, computed from the program, its input and the outcomes of its event facets.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::Timestamp;

use super::Node;
use super::recorder::Recorder;
use crate::run::{Call, Executable, Fault};
use crate::value::Value;

/// A run of a workflow that is computed, not executed: nothing is written, and no handler is called.
///
/// Outcomes are delivered in the order in which a journal has them; the same outcomes give the same
/// states and times.
///
/// ```
/// # use millpond_ffl::json::{Detail, Document};
/// # use millpond_ffl::program::compile;
/// # use millpond_ffl::run::Executable;
/// # use millpond_ffl::source::{Origin, Sources};
/// # use millpond_ffl::value::Value;
/// use millpond_ffl::states::{Derivation, State};
/// use serde_json::json;
///
/// # let mut sources = Sources::new();
/// # let text = "namespace n {
/// #     event facet E(x: Int) => (y: Int)
/// #     workflow W(x: Int) => (y: Int) andThen { s = E(x = $.x) yield W(y = s.y) }
/// # }";
/// # sources.add("n.ffl", Origin::Primary, text)?;
/// # let program = compile(&sources, Detail::default()).expect("no errors").program;
/// # let program = Executable::new(Document::new(program, Vec::new()));
/// // workflow W(x: Int) => (y: Int) andThen { s = E(x = $.x) yield W(y = s.y) }
/// let start = "2026-01-01T00:00:00Z".parse()?;
/// let mut run = Derivation::new(&program, "n.W", &json!({"x": 1}), start);
/// let open = run.open();
/// assert_eq!((open[0].0.as_str(), open[0].1.facet.as_str()), ("b0/s", "n.E"));
/// let step = run.tree().expect("it has begun").children[0].children[0].clone();
/// assert_eq!(step.state(), State::EventTransmit);
///
/// let returns = Value::from_json(&json!({"y": 2}))?;
/// run.deliver("b0/s", Ok(returns), "2026-01-01T00:00:05Z".parse()?);
/// let result = run.result().expect("it has ended").clone();
/// assert_eq!(result.expect("without an error").to_json(), json!({"y": 2}));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Derivation {
    recorder: Arc<Recorder>,
    run: Option<BoxFuture<'static, Result<Value, Fault>>>,
    result: Option<Result<Value, Fault>>,
}

impl Derivation {
    /// A run that has begun at `now`.
    #[must_use]
    pub fn new(
        program: &Executable,
        workflow: &str,
        input: &serde_json::Value,
        now: Timestamp,
    ) -> Self {
        let recorder = Arc::new(Recorder::new(now));
        let (program, host) = (program.clone(), Arc::clone(&recorder));
        let (workflow, input) = (workflow.to_owned(), input.clone());
        let run = async move { program.run(&workflow, &input, &*host).await };
        let mut derivation = Self {
            recorder,
            run: Some(run.boxed()),
            result: None,
        };
        derivation.advance();
        derivation
    }

    /// The event facets that wait for an outcome, by path.
    #[must_use]
    pub fn open(&self) -> Vec<(String, Call)> {
        self.recorder.open()
    }

    /// Delivers the outcome of the event facet at `path`. Returns false if it does not wait for one:
    /// the outcome is not one of this program and input.
    pub fn deliver(&mut self, path: &str, outcome: Result<Value, Fault>, now: Timestamp) -> bool {
        self.recorder.set_now(now);
        let delivered = self.recorder.deliver(path, outcome);
        self.advance();
        delivered
    }

    /// Cancels the run: what waits ends, and no catch runs.
    pub fn cancel(&mut self, now: Timestamp) {
        self.recorder.set_now(now);
        self.recorder.cancel();
        self.advance();
    }

    /// The result, once the run has ended.
    #[must_use]
    pub fn result(&self) -> Option<&Result<Value, Fault>> {
        self.result.as_ref()
    }

    /// The workflow with its blocks and steps; `None` if the input was refused.
    #[must_use]
    pub fn tree(&self) -> Option<Node> {
        self.recorder.tree()
    }

    fn advance(&mut self) {
        let Some(run) = &mut self.run else { return };
        // A long list of ready branches is polled in parts: it wakes itself for the next part.
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        while woken.0.swap(false, Ordering::SeqCst) {
            if let Poll::Ready(result) = run.poll_unpin(&mut context) {
                self.result = Some(result);
                self.run = None;
                return;
            }
        }
    }
}

/// Whether a run asked to be polled again.
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl fmt::Debug for Derivation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Derivation")
            .field("result", &self.result)
            .finish_non_exhaustive()
    }
}
