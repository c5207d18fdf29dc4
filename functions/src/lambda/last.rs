//! The last invocation of a process.
//!
//! Bad interleaving: a step ignores its cancellation, or blocks its thread, and has not ended when the
//! invocation ends. The process is frozen in the middle of it. Its lease expires, another process runs the
//! step again, and later an invocation of something else thaws the first one: the step goes on, and its
//! effects come after those of its second attempt. So:
//!
//! - **Work that is left over from an invocation never continues in a later one.** If anything is in progress
//!   after the margin, the process exits as soon as Lambda has accepted its response. The next
//!   invocation is a cold start.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use futures::FutureExt as _;
use futures::future::Inspect;
use lambda_runtime::tower::layer::{LayerFn, layer_fn};
use lambda_runtime::{LambdaInvocation, Service};

/// Whether the current invocation is the last one. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Last(Arc<AtomicBool>);

impl Last {
    /// The process exits after the current response.
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// The layer around the handler and the sending of its response.
    pub(super) fn layer<S>(&self) -> LayerFn<impl Fn(S) -> Exiting<S> + use<S>> {
        let last = self.clone();
        layer_fn(move |service| Exiting {
            service,
            last: last.clone(),
            exit: || process::exit(0),
        })
    }

    /// The service for tests, with another end than that of the process.
    #[cfg(test)]
    pub(super) fn around<S>(&self, service: S, exit: fn()) -> Exiting<S> {
        let last = self.clone();
        Exiting {
            service,
            last,
            exit,
        }
    }
}

/// Exits after the response of the last invocation.
#[derive(Debug)]
pub(super) struct Exiting<S> {
    service: S,
    last: Last,
    exit: fn(),
}

type After<T> = Box<dyn FnOnce(&T) + Send>;

impl<S: Service<LambdaInvocation>> Service<LambdaInvocation> for Exiting<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = Inspect<S::Future, After<Result<S::Response, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.service.poll_ready(cx)
    }

    fn call(&mut self, invocation: LambdaInvocation) -> Self::Future {
        let (last, exit) = (Arc::clone(&self.last.0), self.exit);
        let after: After<_> = Box::new(move |_| {
            if last.load(Ordering::Acquire) {
                exit();
            }
        });
        self.service.call(invocation).inspect(after)
    }
}
