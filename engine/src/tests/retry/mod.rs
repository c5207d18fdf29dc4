//! Retry: what is kept, and what is void: G1, G4.

mod children;
mod resets;

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::{Either, join, join_all, select, try_join};

use super::{App, Ended, deployed, entries, reported};
use crate::client::{EngineError, Signal, Start};
use crate::domain::{Actor, Began, Entry, ExecutionId, FrameId, RetryRequest, Status};
use crate::settings::Settings;
use crate::testing::{Injection, Rule, World};
use crate::{Attempt, Context, Failed, Retry, Step, StepError};

fn ada() -> Actor {
    Actor::human("ada")
}

/// The attempts of steps, and which steps fail.
#[derive(Clone, Default)]
struct Book(Arc<Mutex<Pages>>);

#[derive(Default)]
struct Pages {
    /// Number and idempotency key of each attempt, by the name of its step.
    attempts: BTreeMap<String, Vec<(u32, String)>>,
    broken: Vec<String>,
}

impl Book {
    fn breaks(&self, name: &str) {
        self.0.lock().unwrap().broken.push(name.to_owned());
    }

    fn mend(&self) {
        self.0.lock().unwrap().broken.clear();
    }

    fn attempts(&self, name: &str) -> Vec<(u32, String)> {
        let pages = self.0.lock().unwrap();
        pages.attempts.get(name).cloned().unwrap_or_default()
    }

    fn count(&self, name: &str) -> usize {
        self.attempts(name).len()
    }

    /// A step that yields `value`, or fails for good while it is broken.
    fn step(&self, ctx: &Context, name: &str, value: u64) -> Step<u64> {
        let (book, own) = (self.clone(), name.to_owned());
        let work = move |attempt: Attempt| {
            let mut pages = book.0.lock().unwrap();
            let key = attempt.idempotency_key().to_owned();
            let broken = pages.broken.contains(&own);
            let attempts = pages.attempts.entry(own.clone()).or_default();
            attempts.push((attempt.number(), key));
            let result = match broken {
                true => Err(StepError::new("Broken", own.clone())),
                false => Ok(value),
            };
            async move { result }
        };
        ctx.step(name, work).retry(Retry::none())
    }

    fn app(&self) -> App {
        let book = || self.clone();
        let (a, b, c, d) = (book(), book(), book(), book());
        let (e, f, g, h, i) = (book(), book(), book(), book(), book());
        App::new()
            .workflow("order", "1", move |ctx, ()| order(ctx, a.clone()))
            .workflow("both", "1", move |ctx, ()| both(ctx, b.clone()))
            .workflow("leaf", "1", move |ctx, n| leaf(ctx, c.clone(), n))
            .workflow("parent", "1", move |ctx, n| parent(ctx, d.clone(), n))
            .workflow("saga", "1", move |ctx, ()| saga(ctx, e.clone()))
            .workflow("asks", "1", move |ctx, ()| asks(ctx, f.clone()))
            .workflow("slow", "1", move |ctx, ()| slow(ctx, g.clone()))
            .workflow("heeds", "1", move |ctx, ()| heeds(ctx, h.clone()))
            .workflow("mixed", "1", mixed)
            .workflow("waits", "1", waits)
            .workflow("parts", "1", children::parts)
            .workflow("hides", "1", children::hides)
            .workflow("trusts", "1", trusts)
            .workflow("hesitates", "1", move |ctx, ()| hesitates(ctx, i.clone()))
    }

    fn world(&self) -> World {
        World::new(self.app())
    }
}

/// Three steps, one after the other.
async fn order(ctx: Context, book: Book) -> Result<u64, Failed> {
    let reserved = book.step(&ctx, "reserve", 1).await?;
    let charged = book.step(&ctx, "charge", 2).await?;
    Ok(reserved + charged + book.step(&ctx, "ship", 4).await?)
}

/// Two steps at once, then a message.
async fn both(ctx: Context, book: Book) -> Result<u64, Failed> {
    let (a, b) = join(book.step(&ctx, "a", 1), book.step(&ctx, "b", 2)).await;
    let sum = a? + b?;
    Ok(sum + ctx.receive::<u64>("more").await?)
}

/// A child.
async fn leaf(ctx: Context, book: Book, n: u64) -> Result<u64, Failed> {
    let first = book.step(&ctx, &format!("first{n}"), n).await?;
    Ok(first + book.step(&ctx, &format!("second{n}"), 10).await?)
}

/// `n` children at once; the first failure ends it.
async fn parent(ctx: Context, _: Book, n: u64) -> Result<u64, Failed> {
    let children = (0..n).map(|at| ctx.child_named::<u64>("leaf", &at));
    let mut sum = 0;
    for value in join_all(children).await {
        sum += value?;
    }
    Ok(sum)
}

/// A step, and its compensation if the second one fails.
async fn saga(ctx: Context, book: Book) -> Result<u64, Failed> {
    let booked = book.step(&ctx, "book", 1).await?;
    match book.step(&ctx, "pay", 2).await {
        Ok(paid) => Ok(booked + paid),
        Err(error) => {
            book.step(&ctx, "unbook", 0).await?;
            Err(error.into())
        }
    }
}

/// A step, a message, a step.
async fn asks(ctx: Context, book: Book) -> Result<u64, Failed> {
    let asked = book.step(&ctx, "ask", 1).await?;
    let answer = ctx.receive::<u64>("answer").await?;
    Ok(asked + answer + book.step(&ctx, "after", 100).await?)
}

/// A step that times out while `slow` is broken.
async fn slow(ctx: Context, book: Book) -> Result<u64, Failed> {
    let work = move |attempt: Attempt| {
        let mut pages = book.0.lock().unwrap();
        let key = attempt.idempotency_key().to_owned();
        let attempts = pages.attempts.entry("slow".to_owned()).or_default();
        attempts.push((attempt.number(), key));
        let stuck = pages.broken.contains(&"slow".to_owned());
        async move {
            if stuck {
                std::future::pending::<()>().await;
            }
            Ok::<_, StepError>(1_u64)
        }
    };
    let step = ctx.step("slow", work).retry(Retry::none());
    Ok(step.timeout(Duration::from_secs(5)).await?)
}

/// A step; a retry that finds it failed ends the execution in another way.
async fn heeds(ctx: Context, book: Book) -> Result<u64, Failed> {
    let mut retried = pin!(ctx.retried());
    match book.step(&ctx, "first", 1).await {
        Ok(value) => Ok(value),
        Err(error) => match select(retried.as_mut(), pin!(ctx.receive::<u64>("go"))).await {
            Either::Left((by, _)) => Err(Failed::new("Retried", by.reason)),
            Either::Right(_) => Err(error.into()),
        },
    }
}

/// Two children: one may fail, the other waits for a message.
async fn mixed(ctx: Context, _: ()) -> Result<u64, Failed> {
    let one = ctx.child_named::<u64>("leaf", &1_u64);
    let other = ctx.child_named::<u64>("waits", &());
    let (one, other) = try_join(one, other).await?;
    Ok(one + other)
}

async fn waits(ctx: Context, _: ()) -> Result<u64, Failed> {
    Ok(ctx.receive::<u64>("go").await?)
}

/// Passes on what its child comes to.
async fn trusts(ctx: Context, _: ()) -> Result<u64, Failed> {
    Ok(ctx.child_named::<u64>("hesitates", &()).await?)
}

/// A step, then a message.
async fn hesitates(ctx: Context, book: Book) -> Result<u64, Failed> {
    let value = book.step(&ctx, "second0", 10).await?;
    Ok(value + ctx.receive::<u64>("go").await?)
}

/// The children that the journal of an execution has started.
fn children(world: &World, eid: ExecutionId) -> Vec<ExecutionId> {
    let child = |entry: Entry| match entry {
        Entry::FrameStarted {
            began: Began::Child { eid, .. },
            ..
        } => Some(eid),
        _ => None,
    };
    entries(world, eid).into_iter().filter_map(child).collect()
}

fn retry(world: &World, eid: ExecutionId, request: RetryRequest) -> Result<(), EngineError> {
    world.block(world.engine.retry(eid, request, ada()))
}

fn fid(text: &str) -> FrameId {
    serde_json::from_value(serde_json::json!(text)).unwrap()
}

/// An execution that ran until nothing was left to do.
fn ran(world: &World, workflow: &str) -> ExecutionId {
    let eid = world.start(Start::new(workflow)).eid;
    world.run_all();
    eid
}

fn refusals(world: &World, eid: ExecutionId) -> Vec<String> {
    let why = |entry| match entry {
        Entry::Refused { why, .. } => Some(why),
        _ => None,
    };
    entries(world, eid).into_iter().filter_map(why).collect()
}

#[test]
fn a_retry_begins_the_failed_step_again_and_no_other() {
    let book = Book::default();
    book.breaks("charge");
    let world = book.world();
    let eid = ran(&world, "order");
    assert_eq!(world.status(eid), Status::Failed);
    book.mend();
    retry(
        &world,
        eid,
        RetryRequest::new().reason("the card is valid now"),
    )
    .unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(7));
    assert_eq!((book.count("reserve"), book.count("ship")), (1, 1));
    let charges = book.attempts("charge");
    assert_eq!(charges.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [1, 2]);
    assert_ne!(
        charges[0].1, charges[1].1,
        "the provider has refused that key"
    );
    let journal = reported(&world, eid);
    assert!(
        journal.contains(&"execution.retried".to_owned()),
        "{journal:#?}"
    );
    assert_eq!(
        world.block(world.engine.execution(eid)).unwrap().generation,
        1
    );
}

#[test]
fn a_retry_costs_one_mail_and_a_resume() {
    let book = Book::default();
    book.breaks("charge");
    let world = book.world();
    let eid = ran(&world, "order");
    book.mend();
    let (asked, counts) = world.counted(|w| retry(w, eid, RetryRequest::new()));
    asked.unwrap();
    assert_eq!((counts.write_requests(), counts.read_requests()), (1, 1));
    let (ended, counts) = world.counted(|w| w.run(eid));
    assert_eq!(ended.unwrap(), Ended::Terminal(Status::Completed));
    // As a resume that runs two steps: list, two barriers, final commit, feed; head, mail.
    assert_eq!(
        (counts.write_requests(), counts.read_requests()),
        (5, 2),
        "{counts:?}"
    );
}

#[test]
fn g1_what_succeeded_beside_the_failure_is_kept_and_so_is_a_message() {
    let book = Book::default();
    book.breaks("a");
    let world = book.world();
    let eid = world.start(Start::new("both")).eid;
    world
        .signal(eid, Signal::on("more").value(&10_u64))
        .unwrap();
    world.run_all();
    assert_eq!(world.status(eid), Status::Failed);
    book.mend();
    retry(&world, eid, RetryRequest::new()).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(13));
    assert_eq!((book.count("a"), book.count("b")), (2, 1));
}

#[test]
fn a_retry_makes_the_compensation_void_and_continues_where_the_failure_was() {
    let book = Book::default();
    book.breaks("pay");
    let world = book.world();
    let eid = ran(&world, "saga");
    assert_eq!(
        (world.status(eid), book.count("unbook")),
        (Status::Failed, 1)
    );
    book.mend();
    retry(&world, eid, RetryRequest::new()).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(3));
    assert_eq!(
        (book.count("book"), book.count("pay"), book.count("unbook")),
        (1, 2, 1)
    );
}

#[test]
fn a_retry_after_a_failed_compensation_begins_at_the_compensation() {
    let book = Book::default();
    book.breaks("pay");
    book.breaks("unbook");
    let world = book.world();
    let eid = ran(&world, "saga");
    book.mend();
    retry(&world, eid, RetryRequest::new()).unwrap();
    world.run_all();
    assert_eq!(
        world.status(eid),
        Status::Failed,
        "it has undone what failed"
    );
    assert_eq!(
        (book.count("book"), book.count("pay"), book.count("unbook")),
        (1, 1, 2)
    );
}

#[test]
fn a_retry_after_a_panic_continues_with_the_mended_code() {
    async fn panics(ctx: Context, book: Book) -> Result<u64, Failed> {
        let _ = book.step(&ctx, "ask", 1).await?;
        panic!("not yet written")
    }
    let book = Book::default();
    let own = book.clone();
    let app = App::new().workflow("asks", "1", move |ctx, ()| panics(ctx, own.clone()));
    let world = World::new(app);
    let eid = ran(&world, "asks");
    assert_eq!(world.status(eid), Status::Blocked);
    let world = deployed(world, book.app(), "2");
    retry(&world, eid, RetryRequest::new()).unwrap();
    world
        .signal(eid, Signal::on("answer").value(&20_u64))
        .unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(121));
    assert_eq!(book.count("ask"), 1);
}

#[test]
fn g4_a_step_that_only_timed_out_keeps_its_idempotency_key() {
    let book = Book::default();
    book.breaks("slow");
    let world = book.world();
    let eid = ran(&world, "slow");
    assert_eq!(world.status(eid), Status::Failed);
    book.mend();
    retry(&world, eid, RetryRequest::new()).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(1));
    let attempts = book.attempts("slow");
    assert_eq!(attempts.len(), 2);
    assert_eq!(
        attempts[0].1, attempts[1].1,
        "the first may still come to an end"
    );
}
