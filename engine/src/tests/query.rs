//! B40: a query replays an execution, and changes nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use futures::join;

use super::{App, echo};
use crate::client::{AwaitedFrame, EngineError, ErrorKind, Queried, Query, Signal, Start};
use crate::domain::{Actor, Blocked, ExecutionId, Status};
use crate::ports::Clock;
use crate::process::Notice;
use crate::retention::{Retention, RetentionSettings};
use crate::settings::Settings;
use crate::testing::{Injection, Rule, World};
use crate::{Attempt, Context, Failed, FrameError, Retry, StepError};

/// Shows 0, 1, and then the sum after each message.
async fn sums(ctx: Context, n: u64) -> Result<u64, Failed> {
    ctx.set_state(&0)?;
    ctx.set_state(&1)?;
    let mut sum = 1;
    for _ in 0..n {
        sum += ctx.receive::<u64>("in").await?;
        ctx.set_state(&sum)?;
    }
    Ok(sum)
}

/// Waits for everything that there is to wait for.
async fn waits(ctx: Context, _: ()) -> Result<(), Failed> {
    let flaky = ctx.step("flaky", |attempt: Attempt| async move {
        Err::<(), _>(StepError::new("Busy", format!("{}", attempt.number())))
    });
    let (_, _, _, child, step) = join!(
        ctx.receive::<u64>("a"),
        ctx.receive::<u64>("b").timeout(Duration::from_secs(60)),
        ctx.sleep(Duration::from_secs(90)),
        ctx.child_named::<u64>("sums", &9),
        flaky.retry(Retry::fixed(3, Duration::from_secs(30))),
    );
    child?;
    Ok(step?)
}

async fn large(ctx: Context, text: String) -> Result<(), Failed> {
    let length = ctx.receive::<String>("in").await?.len();
    Ok(ctx.set_state(&(text.len(), length))?)
}

fn app() -> App {
    App::new()
        .workflow("sums", "1", sums)
        .workflow("waits", "1", waits)
        .workflow("large", "1", large)
}

/// `sums` that has received 10, 20, .. `n` times.
fn summed(world: &World, of: u64, n: u64) -> ExecutionId {
    let eid = world.start(Start::new("sums").input(&of)).eid;
    world.run_all();
    for at in 1..=n {
        let sent = world.signal(eid, Signal::on("in").value(&(10 * at)));
        sent.expect("it waits");
        world.run_all();
    }
    eid
}

fn ask(world: &World, eid: ExecutionId, query: &Query) -> Queried {
    let shown = world.block(world.engine.query(eid, query));
    shown.unwrap_or_else(|error| panic!("not shown: {error}"))
}

fn refused(world: &World, eid: ExecutionId, query: &Query) -> EngineError {
    let shown = world.block(world.engine.query(eid, query));
    shown.expect_err("it must be refused")
}

/// Number and value of each state.
fn states(shown: &Queried) -> Vec<(u64, u64)> {
    let states = shown.states.iter();
    states
        .map(|state| (state.number, state.value.get().unwrap()))
        .collect()
}

#[test]
fn b40_a_query_shows_the_newest_state_and_what_the_workflow_waits_for() {
    let world = World::new(app());
    let eid = summed(&world, 3, 2);
    let shown = ask(&world, eid, &Query::newest());
    assert_eq!(states(&shown), [(3, 31)]);
    let awaited: Vec<_> = shown.awaited.iter().map(|f| f.fid.as_str()).collect();
    assert_eq!(awaited, ["root/receive#2"]);
    assert_eq!(shown.awaited[0].about.as_deref(), Some("in"));
    let page = world.block(world.engine.journal(eid, 1, 100)).unwrap();
    let last = page.commits.last().unwrap();
    let entry = last.first + last.entries.len() as u64 - 1;
    assert_eq!((shown.entry, shown.next), (Some(entry), None));
    let state = &shown.states[0];
    assert_eq!(state.at, last.at);
    let fits = |commit: &&crate::domain::Commit| commit.first <= state.entry;
    let commit = page.commits.iter().rfind(fits).unwrap();
    let of = &commit.entries[usize::try_from(state.entry - commit.first).unwrap()];
    assert_eq!(
        of.kind(),
        "message.received",
        "it was shown after the message"
    );
}

#[test]
fn b40_a_query_up_to_an_entry_shows_the_state_after_it() {
    let world = World::new(app());
    let eid = summed(&world, 3, 3);
    let entries = world.block(world.engine.execution(eid)).unwrap().entries;
    let mut seen = Vec::new();
    for at in 0..entries {
        let shown = ask(&world, eid, &Query::newest().at(at));
        assert_eq!(shown.entry, Some(at));
        let state = states(&shown).last().copied();
        assert!(shown.states.iter().all(|state| state.entry <= at));
        if seen.last() != Some(&state) {
            seen.push(state);
        }
    }
    let some = [
        None,
        Some((1, 1)),
        Some((2, 11)),
        Some((3, 31)),
        Some((4, 61)),
    ];
    assert_eq!(seen, some, "states 0 and 1 are of one entry");
    let beyond = refused(&world, eid, &Query::newest().at(entries));
    assert_eq!(beyond.kind(), ErrorKind::Invalid);
    let text = format!("has no entry {entries}: entries={entries}");
    assert!(beyond.to_string().contains(&text), "{beyond}");
}

#[test]
fn b40_a_query_until_a_state_ends_at_the_first_that_is_accepted() {
    let world = World::new(app());
    let eid = summed(&world, 3, 3);
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let shown = ask(
        &world,
        eid,
        &Query::until(move |state| {
            count.fetch_add(1, Relaxed);
            state.value.get::<u64>().is_ok_and(|sum| sum > 10)
        }),
    );
    assert_eq!(states(&shown), [(2, 11)]);
    assert_eq!(shown.entry, Some(shown.states[0].entry));
    assert_eq!(shown.awaited[0].fid.as_str(), "root/receive#1", "by then");
    assert_eq!(asked.load(Relaxed), 3, "later states are not asked about");
    let none = ask(&world, eid, &Query::until(|_| false));
    assert!(none.states.is_empty());
}

#[test]
fn b40_a_page_shows_each_state_once_and_in_order() {
    let world = World::new(app());
    let eid = summed(&world, 3, 3);
    let (mut from, mut all, mut pages) = (Some(0), Vec::new(), 0);
    while let Some(first) = from {
        let shown = ask(&world, eid, &Query::page(first, 2));
        all.extend(states(&shown));
        (from, pages) = (shown.next, pages + 1);
    }
    assert_eq!(all, [(0, 0), (1, 1), (2, 11), (3, 31), (4, 61)]);
    assert_eq!(pages, 3);
    assert_eq!(states(&ask(&world, eid, &Query::page(9, 2))), []);
    let none = ask(&world, eid, &Query::page(3, 0));
    assert_eq!((states(&none), none.next), (vec![], Some(3)));
}

async fn wide(ctx: Context, n: usize) -> Result<(), Failed> {
    for at in 0..n {
        ctx.set_state(&"x".repeat(at))?;
    }
    Ok(())
}

#[test]
fn b40_a_page_is_not_larger_than_a_value() {
    let settings = Settings {
        max_value: 100,
        ..Settings::default()
    };
    let world = World::with_settings(App::new().workflow("wide", "1", wide), settings);
    let eid = world.start(Start::new("wide").input(&60_u64)).eid;
    world.run_all();
    assert_eq!(world.status(eid), Status::Completed);
    let (mut from, mut next) = (Some(0), 0);
    while let Some(first) = from {
        let shown = ask(&world, eid, &Query::page(first, 1_000));
        let sizes = shown.states.iter().map(|state| state.value.as_str().len());
        assert!(sizes.sum::<usize>() <= 100);
        for state in &shown.states {
            assert_eq!(state.number, next);
            next += 1;
        }
        from = shown.next;
    }
    assert_eq!(next, 60);
}

#[test]
fn a_state_above_the_maximum_of_a_value_is_refused_in_each_replay() {
    async fn shows(ctx: Context, _: ()) -> Result<String, Failed> {
        let first = ctx.set_state(&"x".repeat(200)).unwrap_err().to_string();
        ctx.receive::<()>("in").await?;
        let again = ctx.set_state(&"x".repeat(200)).unwrap_err().to_string();
        assert_eq!(first, again);
        Ok(first)
    }
    let settings = Settings {
        max_value: 100,
        ..Settings::default()
    };
    let world = World::with_settings(App::new().workflow("shows", "1", shows), settings);
    let eid = world.start(Start::new("shows").input(&())).eid;
    world.run_all();
    world.signal(eid, Signal::on("in").value(&())).unwrap();
    world.run_all();
    let text = world.result::<String>(eid).unwrap();
    assert!(text.contains("bytes=202 max=100"), "{text}");
    assert_eq!(states(&ask(&world, eid, &Query::page(0, 10))), []);
}

#[test]
fn a_state_cannot_be_shown_in_a_step() {
    async fn shows(ctx: Context, _: ()) -> Result<bool, Failed> {
        let inner = ctx.clone();
        let step = ctx.step("show", move || {
            let shown = inner.set_state(&1);
            async move { Ok::<_, StepError>(matches!(shown, Err(FrameError::Outside { .. }))) }
        });
        Ok(step.await?)
    }
    let world = World::new(App::new().workflow("shows", "1", shows));
    let eid = world.start(Start::new("shows").input(&())).eid;
    world.run_all();
    assert_eq!(world.result(eid), Ok(true));
}

#[test]
fn b40_each_kind_of_wait_is_shown() {
    let world = World::new(app());
    let eid = world.start(Start::new("waits").input(&())).eid;
    world.run(eid).unwrap();
    let (now, shown) = (world.clock.now(), ask(&world, eid, &Query::newest()));
    let at = |seconds: u64| Some(now + Duration::from_secs(seconds));
    let short = |frame: &AwaitedFrame| {
        let about = frame.about.clone().unwrap_or_default();
        (frame.fid.to_string(), about, frame.due, frame.attempt)
    };
    let awaited: Vec<_> = shown.awaited.iter().map(short).collect();
    let row = |fid: &str, about: &str, due, attempt| (fid.into(), about.into(), due, attempt);
    let wanted = [
        row("root/receive#0", "a", None, None),
        row("root/receive#1", "b", at(60), None),
        row("root/sleep#0", "", at(90), None),
        row("root/sums#0", "sums", None, None),
        row("root/flaky#0", "", at(30), Some(1)),
    ];
    assert_eq!(awaited, wanted);
    let child = shown.awaited[3].child.expect("its id is known");
    world.run_all();
    assert_eq!(states(&ask(&world, child, &Query::newest())), [(1, 1)]);
    // The due times are those of the journal, however late the query is.
    world.clock.advance(Duration::from_secs(20));
    assert_eq!(ask(&world, eid, &Query::newest()), shown);
}

#[test]
fn an_execution_that_has_not_begun_or_has_ended_waits_for_nothing() {
    let world = World::new(app());
    let eid = world.start(Start::new("sums").input(&2_u64)).eid;
    let shown = ask(&world, eid, &Query::newest());
    assert_eq!((shown.entry, shown.awaited.len()), (None, 0));
    assert!(shown.states.is_empty());
    world.run_all();
    let ada = Actor::human("ada");
    let sent = world.block(world.engine.terminate(eid, "enough", ada));
    sent.unwrap();
    world.run_all();
    assert_eq!(world.status(eid), Status::Terminated);
    let shown = ask(&world, eid, &Query::newest());
    assert_eq!((states(&shown), shown.awaited.len()), (vec![(1, 1)], 0));
    let before = shown.entry.unwrap() - 2;
    assert_eq!(
        ask(&world, eid, &Query::newest().at(before)).awaited.len(),
        1
    );
}

#[test]
fn b40_a_query_changes_nothing_and_runs_no_step() {
    async fn shows(ctx: Context, _: ()) -> Result<u64, Failed> {
        let at = ctx.now();
        let n = ctx.call("echo", echo, &7).await?;
        ctx.set_state(&(at, n))?;
        ctx.receive::<u64>("in").await?;
        // Not reached: the query must not run it.
        Ok(ctx.call("echo", echo, &8).await?)
    }
    let world = World::new(App::new().workflow("shows", "1", shows));
    let eid = world.start(Start::new("shows").input(&())).eid;
    world.run_all();
    // A message that no run has absorbed is not seen.
    world.signal(eid, Signal::on("in").value(&1_u64)).unwrap();
    let before = world.memory.snapshot();
    let (shown, counts) = world.counted(|world| ask(world, eid, &Query::newest()));
    assert_eq!(shown.awaited[0].fid.as_str(), "root/receive#0");
    assert_eq!(world.memory.snapshot(), before);
    assert_eq!((counts.write_requests(), counts.read_requests()), (0, 1));
    let again = ask(&world, eid, &Query::newest());
    assert_eq!(again, shown, "recorded values are those of the journal");
}

#[test]
fn b40_a_query_of_a_leased_execution_is_answered() {
    async fn held(ctx: Context, _: ()) -> Result<u64, Failed> {
        ctx.set_state("at work")?;
        Ok(ctx.call("echo", echo, &1).await?)
    }
    let world = World::new(App::new().workflow("held", "1", held));
    let eid = world.start(Start::new("held").input(&())).eid;
    // The run dies after the commit that begins the step, with its lease.
    let died = Rule::new(Injection::LandedAndDied).on_writes().under("x/");
    world.faults.add(died);
    assert!(world.run(eid).is_err() && world.faults.is_dead());
    let other = world.beside(App::new().workflow("held", "1", held), "w2", 2);
    let shown = ask(&other, eid, &Query::newest());
    assert_eq!(shown.states[0].value.get(), Ok("at work".to_owned()));
    assert_eq!(shown.awaited[0].attempt, Some(1));
}

#[test]
fn an_archived_execution_is_shown_like_a_live_one() {
    let world = World::new(app());
    let eid = summed(&world, 2, 2);
    assert_eq!(world.status(eid), Status::Completed);
    let live = ask(&world, eid, &Query::page(0, 10));
    assert_eq!(states(&live), [(0, 0), (1, 1), (2, 11), (3, 31)]);
    archive(&world);
    assert_eq!(world.status(eid), Status::Archived);
    let (archived, counts) = world.counted(|world| ask(world, eid, &Query::page(0, 10)));
    assert_eq!(archived, live);
    assert_eq!((counts.write_requests(), counts.read_requests()), (0, 2));
}

fn archive(world: &World) {
    let day = Duration::from_secs(24 * 60 * 60);
    world.clock.advance(30 * day);
    let retention = Retention::new(&world.engine, RetentionSettings::default()).unwrap();
    world.block(retention.passes(&Notice::new())).unwrap();
}

#[test]
fn a_query_costs_a_read_for_the_head_each_segment_and_each_large_value() {
    let settings = Settings {
        tail: 2_000,
        segment: 3_000,
        inline: 100,
        inline_args: 100,
        ..Settings::default()
    };
    let world = World::with_settings(app(), settings);
    let eid = summed(&world, 50, 40);
    let segments = world.block(world.engine.execution(eid)).unwrap().segments as u64;
    assert!(segments > 3, "{segments}");
    let (shown, counts) = world.counted(|world| ask(world, eid, &Query::newest()));
    assert_eq!(states(&shown), [(41, 1 + 10 * (40 * 41 / 2))]);
    let price = (counts.write_requests(), counts.read_requests());
    assert_eq!(price, (0, 1 + segments));

    let text = "x".repeat(500);
    let eid = world.start(Start::new("large").input(&text)).eid;
    world.run_all();
    world.signal(eid, Signal::on("in").value(&text)).unwrap();
    world.run_all();
    let (shown, counts) = world.counted(|world| ask(world, eid, &Query::newest()));
    assert_eq!(shown.states[0].value.get(), Ok((500, 500)));
    assert_eq!((counts.write_requests(), counts.read_requests()), (0, 3));
}

#[test]
fn a_query_without_the_code_names_the_workflow_and_what_is_registered() {
    let world = World::new(app());
    let eid = summed(&world, 2, 1);
    let asks = |app: App| refused(&world.beside(app, "w2", 2), eid, &Query::newest());
    let none = asks(App::new().workflow("other", "1", sums));
    assert_eq!(none.kind(), ErrorKind::NotFound);
    let text = r#"no workflow "sums" in version "1"; known: other@1"#;
    assert_eq!(none.to_string(), text);
    let newer = asks(App::new().workflow("sums", "2", sums));
    assert!(newer.to_string().ends_with("known: sums@2"), "{newer}");
    let declared = asks(App::new().declare("sums", "1"));
    assert!(declared.to_string().ends_with("known: "), "{declared}");
    let unknown = ExecutionId::keyed(&super::Text::parse("no").unwrap(), 0);
    let unknown = refused(&world, unknown, &Query::newest());
    assert!(matches!(unknown, EngineError::UnknownExecution { .. }));
}

#[test]
fn a_query_of_a_journal_that_does_not_fit_reports_what_a_run_would() {
    async fn changed(ctx: Context, _: u64) -> Result<u64, Failed> {
        ctx.set_state(&5)?;
        ctx.sleep(Duration::from_secs(1)).await?;
        Ok(1)
    }
    async fn panics(ctx: Context, _: u64) -> Result<u64, Failed> {
        ctx.receive::<u64>("in").await?;
        panic!("on the way")
    }
    let world = World::new(app());
    let eid = summed(&world, 2, 1);
    let why = |world: &World| match refused(world, eid, &Query::newest()) {
        EngineError::Misfit { why, .. } => *why,
        other => panic!("another error: {other}"),
    };
    let other = world.beside(App::new().workflow("sums", "1", changed), "w2", 2);
    let Blocked::Nondeterminism { expected, got, .. } = why(&other) else {
        panic!("another reason");
    };
    let both = (expected.as_str(), got.as_str());
    assert_eq!(both, ("receive root/receive#0", "sleep root/sleep#0"));
    // A query up to an entry before the misfit is answered.
    assert!(
        world
            .block(other.engine.query(eid, &Query::newest().at(0)))
            .is_ok()
    );
    let third = world.beside(App::new().workflow("sums", "1", panics), "w3", 3);
    assert!(matches!(why(&third), Blocked::Panicked { .. }));
    assert_eq!(world.status(eid), Status::Suspended, "nothing is parked");
}
