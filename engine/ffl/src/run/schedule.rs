//! What waits and what runs in a block.

use std::future::poll_fn;
use std::task::Poll;

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};

type Numbered<'r, T> = FuturesUnordered<BoxFuture<'r, (usize, T)>>;

/// The branches of a block by number: each waits, giving a `W`, then runs, giving an `R`. Only
/// branches that were woken are polled.
pub(super) struct Schedule<'r, W, R> {
    waiting: Numbered<'r, W>,
    running: Numbered<'r, R>,
}

/// What happened in a block.
pub(super) enum Next<W, R> {
    /// The wait of a branch is over.
    Waited(usize, W),
    /// A branch has ended.
    Ended(usize, R),
}

impl<'r, W: 'r, R: 'r> Schedule<'r, W, R> {
    pub(super) fn new() -> Self {
        Self {
            waiting: FuturesUnordered::new(),
            running: FuturesUnordered::new(),
        }
    }

    pub(super) fn wait(&self, at: usize, wait: BoxFuture<'r, W>) {
        self.waiting.push(numbered(at, wait));
    }

    pub(super) fn run(&self, at: usize, work: BoxFuture<'r, R>) {
        self.running.push(numbered(at, work));
    }

    /// Nothing that waits begins any more.
    pub(super) fn stop(&mut self) {
        self.waiting = FuturesUnordered::new();
    }

    /// The next thing that happens; `None` once nothing waits or runs. Ends come first, so that
    /// nothing begins after an error that is known.
    pub(super) async fn next(&mut self) -> Option<Next<W, R>> {
        poll_fn(|cx| {
            let running = self.running.poll_next_unpin(cx);
            if let Poll::Ready(Some((at, ended))) = running {
                return Poll::Ready(Some(Next::Ended(at, ended)));
            }
            let waiting = self.waiting.poll_next_unpin(cx);
            if let Poll::Ready(Some((at, waited))) = waiting {
                return Poll::Ready(Some(Next::Waited(at, waited)));
            }
            match (running, waiting) {
                (Poll::Ready(None), Poll::Ready(None)) => Poll::Ready(None),
                _ => Poll::Pending,
            }
        })
        .await
    }
}

fn numbered<'r, T: 'r>(at: usize, work: BoxFuture<'r, T>) -> BoxFuture<'r, (usize, T)> {
    Box::pin(async move { (at, work.await) })
}

/// Runs all branches at the same time; their results in order.
pub(super) async fn gather<'r, T: 'r>(branches: Vec<BoxFuture<'r, T>>) -> Vec<T> {
    let mut results: Vec<Option<T>> = branches.iter().map(|_| None).collect();
    let branches = branches.into_iter().enumerate();
    let mut running: Numbered<'r, T> = branches.map(|(at, work)| numbered(at, work)).collect();
    while let Some((at, result)) = running.next().await {
        results[at] = Some(result);
    }
    results.into_iter().flatten().collect()
}
