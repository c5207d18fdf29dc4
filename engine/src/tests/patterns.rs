//! The patterns of the SDK: `map`, `poll_until`, `Saga`.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{App, echo, sequential};
use crate::client::{Frame, FrameStatus, Start};
use crate::domain::{Actor, ExecutionId, Status};
use crate::ports::Clock;
use crate::testing::{ManualClock, World};
use crate::{Context, Failed, FrameError, Retry, Saga, StepError};

/// What runs at the same time.
#[derive(Clone, Default)]
struct Gauge(Arc<(AtomicUsize, AtomicUsize)>);

impl Gauge {
    fn up(&self) {
        let now = self.0.0.fetch_add(1, SeqCst) + 1;
        self.0.1.fetch_max(now, SeqCst);
    }

    fn down(&self) {
        self.0.0.fetch_sub(1, SeqCst);
    }

    fn most(&self) -> usize {
        self.0.1.load(SeqCst)
    }
}

/// The world, and a clock for its steps.
fn world(app: impl FnOnce(Arc<Mutex<Option<Arc<ManualClock>>>>) -> App) -> World {
    let shared = Arc::new(Mutex::new(None));
    let world = World::new(app(Arc::clone(&shared)));
    *shared.lock().unwrap() = Some(Arc::clone(&world.clock));
    world
}

fn frames(world: &World, eid: ExecutionId) -> Frame {
    world.block(world.engine.frames(eid)).unwrap()
}

#[test]
fn a_map_works_on_so_many_items_at_a_time_and_keeps_their_order() {
    for (width, most) in [(3, 3), (1, 1), (0, 1), (100, 8)] {
        let gauge = Gauge::default();
        let of = gauge.clone();
        let world = world(move |clock| {
            App::new().workflow("w", "1", move |ctx: Context, n: u64| {
                let (of, clock) = (of.clone(), Arc::clone(&clock));
                async move {
                    let each =
                        ctx.map("item", 0..n, |ctx, at| {
                            let (of, clock) = (of.clone(), Arc::clone(&clock));
                            let step = ctx.step("work", move || {
                                let (of, clock) = (of.clone(), Arc::clone(&clock));
                                async move {
                                    of.up();
                                    let clock = clock.lock().unwrap().clone().unwrap();
                                    // The last ones are the first to end.
                                    clock.sleep(Duration::from_secs(20 - at)).await;
                                    of.down();
                                    Ok::<_, StepError>(at * 10)
                                }
                            });
                            async move {
                                Ok::<_, Failed>(step.await? + ctx.call("echo", echo, &at).await?)
                            }
                        });
                    each.width(width).try_all().await
                }
            })
        });
        let eid = world.start(Start::new("w").input(&8_u64)).eid;
        world.run_all();
        let values: Vec<u64> = (0..8).map(|at| at * 11).collect();
        assert_eq!(world.result(eid), Ok(values));
        assert_eq!(gauge.most(), most, "width {width}");
        let root = frames(&world, eid);
        let fid = &root.frames[0].frames[3].frames[1].fid;
        assert_eq!(fid.as_str(), "root/item/3/echo#0");
    }
}

/// Fails at the third item.
async fn third(n: u64) -> Result<u64, StepError> {
    match n {
        2 => Err(StepError::new("Third", "no").terminal()),
        _ => Ok(n),
    }
}

#[test]
fn a_map_ends_at_the_first_failure_or_collects_them_all() {
    async fn tries(ctx: Context, n: u64) -> Result<Vec<u64>, Failed> {
        let each = ctx.map("item", 0..n, |ctx, at| async move {
            ctx.call("third", third, &at).await
        });
        Ok(each.width(1).try_all().await?)
    }
    async fn collects(ctx: Context, n: u64) -> Result<Vec<bool>, Failed> {
        let each = ctx.map("item", 0..n, |ctx, at| async move {
            ctx.call("third", third, &at).await
        });
        let all: Vec<Result<u64, FrameError>> = each.width(2).all().await;
        Ok(all.iter().map(Result::is_ok).collect())
    }
    async fn drops(ctx: Context, n: u64) -> Result<(), Failed> {
        let each = ctx.map("item", 0..n, |ctx, at| async move {
            if at < 2 {
                ctx.sleep(Duration::from_secs(600)).await?;
            }
            ctx.call("third", third, &at).await
        });
        let failed = each.width(3).try_all().await;
        assert!(failed.is_err());
        Ok(())
    }
    let app = App::new()
        .workflow("tries", "1", tries)
        .workflow("collects", "1", collects);
    let world = World::new(app.workflow("drops", "1", drops));
    let start = |name: &str| world.start(Start::new(name).input(&5_u64)).eid;
    let (tried, collected, dropped) = (start("tries"), start("collects"), start("drops"));
    world.run_all();
    let error = world.result::<Vec<u64>>(tried).unwrap_err();
    assert!(error.contains("Third"), "{error}");
    assert_eq!(
        frames(&world, tried).frames[0].frames.len(),
        3,
        "no more begin"
    );
    let all = vec![true, true, false, true, true];
    assert_eq!(world.result(collected), Ok(all));
    assert_eq!(
        world.status(dropped),
        Status::Completed,
        "it waits for no sleep"
    );
    let root = frames(&world, dropped);
    let sleep = &root.frames[0].frames[0].frames[0];
    assert_eq!(sleep.status, FrameStatus::Dropped);
}

#[test]
fn a_map_of_children_costs_a_constant_for_each_child() {
    async fn children(ctx: Context, n: u64) -> Result<u64, Failed> {
        let each = ctx.map("item", 0..n, |ctx, _| async move {
            ctx.child_named::<u64>("sequential", &1_u64).await
        });
        Ok(each.width(5).try_all().await?.len() as u64)
    }
    let price = |n: u64| {
        let app = App::new().workflow("children", "1", children);
        let world = World::new(app.workflow("sequential", "1", sequential));
        let eid = world.start(Start::new("children").input(&n)).eid;
        let ((), counts) = world.counted(World::run_all);
        assert_eq!(world.result(eid), Ok(n));
        counts.write_requests()
    };
    let (few, many) = (price(20), price(80));
    assert!(many < few * 4 + 20, "{few} for 20, {many} for 80");
}

#[test]
fn a_poll_ends_with_a_value_or_with_its_time() {
    fn app(ready: u64, polls: Arc<AtomicUsize>) -> App {
        App::new().workflow("w", "1", move |ctx: Context, (): ()| {
            let polls = Arc::clone(&polls);
            async move {
                let (every, limit) = (Duration::from_secs(60), Duration::from_secs(300));
                let found = ctx.poll_until("ready", every, limit, move || {
                    let polls = Arc::clone(&polls);
                    async move {
                        let n = polls.fetch_add(1, SeqCst) as u64 + 1;
                        Ok::<_, StepError>((n >= ready).then_some(n))
                    }
                });
                Ok::<_, Failed>(found.await?)
            }
        })
    }
    for (ready, found, asked, seconds) in
        [(1, Some(1), 1, 0), (3, Some(3), 3, 120), (9, None, 6, 300)]
    {
        let polls = Arc::new(AtomicUsize::new(0));
        let world = World::new(app(ready, Arc::clone(&polls)));
        let eid = world.start(Start::new("w").input(&())).eid;
        world.skip(Duration::from_secs(seconds));
        assert_eq!(world.result::<Option<u64>>(eid), Ok(found));
        assert_eq!(polls.load(SeqCst), asked);
        world.skip(Duration::from_secs(600));
        assert_eq!(polls.load(SeqCst), asked, "it is over");
    }
}

#[test]
fn a_cancelled_poll_ends() {
    async fn polls(ctx: Context, _: ()) -> Result<(), Failed> {
        let (every, limit) = (Duration::from_secs(60), Duration::MAX);
        let never = || async { Ok::<_, StepError>(None::<u64>) };
        ctx.poll_until("ready", every, limit, never).await?;
        Ok(())
    }
    let world = World::new(App::new().workflow("w", "1", polls));
    let eid = world.start(Start::new("w").input(&())).eid;
    world.skip(Duration::from_secs(500));
    world
        .block(world.engine.cancel(eid, "enough", Actor::human("ada")))
        .unwrap();
    world.run_all();
    assert_eq!(world.status(eid), Status::Cancelled);
}

/// What the steps of a saga did.
type Log = Arc<Mutex<Vec<String>>>;

/// Does a, b and c, and undoes them as `how` says.
async fn saga(ctx: Context, log: Log, how: String) -> Result<String, Failed> {
    let mut saga = Saga::new(&ctx).retry(Retry::fixed(3, Duration::from_millis(10)));
    let done = all(&ctx, &log, &how, &mut saga).await;
    saga.end(done).await
}

async fn all(ctx: &Context, log: &Log, how: &str, saga: &mut Saga) -> Result<String, Failed> {
    for name in ["a", "b", "c"] {
        let (own, fails) = (Arc::clone(log), how == format!("fail {name}"));
        let step = ctx.step("do", move || {
            own.lock().unwrap().push(name.to_owned());
            async move {
                match fails {
                    true => Err(StepError::new("No", name).terminal()),
                    false => Ok(()),
                }
            }
        });
        step.await?;
        let (own, keeps) = (Arc::clone(log), how == "keep b" && name == "b");
        let undo = move |attempt: crate::Attempt, name: String| {
            own.lock().unwrap().push(format!("undo {name}"));
            let flaky = name == "a" && attempt.number() == 1;
            async move {
                match keeps || flaky {
                    true => Err(StepError::new("Stuck", name)),
                    false => Ok(()),
                }
            }
        };
        saga.undo("undo", undo, &name.to_owned());
    }
    match how {
        "wait" => Ok(ctx.receive("in").await?),
        "keep b" => Err(Failed::new("Late", "too late")),
        _ => Ok("done".to_owned()),
    }
}

#[test]
fn a_saga_undoes_in_reverse_order_what_was_done_and_nothing_else() {
    let run = |how: &str| {
        let log = Log::default();
        let own = Arc::clone(&log);
        let app = App::new().workflow("saga", "1", move |ctx, how| {
            saga(ctx, Arc::clone(&own), how)
        });
        let world = World::new(app);
        let eid = world.start(Start::new("saga").input(&how.to_owned())).eid;
        world.run_all();
        if how == "wait" {
            world
                .block(world.engine.cancel(eid, "ill", Actor::human("ada")))
                .unwrap();
            world.run_all();
        }
        let done = log.lock().unwrap().join(", ");
        let result = match world.status(eid) {
            Status::Cancelled => "cancelled".to_owned(),
            _ => world.result::<String>(eid).unwrap_or_else(|error| error),
        };
        (done, result)
    };
    assert_eq!(run("work"), ("a, b, c".into(), "done".into()));
    let (done, result) = run("fail c");
    assert_eq!(
        done, "a, b, c, undo b, undo a, undo a",
        "an attempt is repeated"
    );
    assert!(result.contains("No"), "{result}");
    assert_eq!(run("fail a").0, "a");
    let (done, result) = run("wait");
    let all = "a, b, c, undo c, undo b, undo a, undo a";
    assert_eq!(
        (done.as_str(), result.as_str()),
        (all, "cancelled"),
        "shielded"
    );
    let (done, result) = run("keep b");
    let all = "a, b, c, undo c, undo b, undo b, undo b, undo a, undo a";
    assert_eq!(done, all, "one that fails keeps no other from running");
    assert!(result.starts_with("compensation"), "{result}");
    assert!(
        result.contains("Stuck") && result.contains("too late"),
        "{result}"
    );
}
