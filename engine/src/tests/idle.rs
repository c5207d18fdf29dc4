//! A run that waits does nothing meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

use super::{App, Ended, clocked};
use crate::client::Start;
use crate::domain::{Actor, Status};
use crate::ports::Clock;
use crate::testing::{ManualClock, World};
use crate::{Context, Failed, StepError};

/// Counts sleeps; a loop that sleeps for nothing ends in a panic instead of never.
#[derive(Debug)]
struct Counted {
    inner: Arc<ManualClock>,
    sleeps: AtomicU64,
}

#[async_trait]
impl Clock for Counted {
    fn now(&self) -> Timestamp {
        self.inner.now()
    }

    fn monotonic(&self) -> Duration {
        self.inner.monotonic()
    }

    async fn sleep(&self, duration: Duration) {
        let sleeps = self.sleeps.fetch_add(1, Ordering::SeqCst);
        assert!(sleeps < 1_000, "a run spins");
        self.inner.sleep(duration).await;
    }
}

fn app(clock: &Arc<ManualClock>) -> App {
    let clock = Arc::clone(clock);
    App::new().workflow("both", "1", move |ctx: Context, (): ()| {
        let clock = Arc::clone(&clock);
        async move {
            let long = ctx.step("long", move || {
                let clock = Arc::clone(&clock);
                async move {
                    clock.sleep(Duration::from_secs(120)).await;
                    Ok::<_, StepError>(())
                }
            });
            let (long, nap) = futures::join!(long, ctx.sleep(Duration::from_secs(30)));
            long?;
            nap?;
            Ok::<_, Failed>(())
        }
    })
}

#[test]
fn a_paused_run_waits_for_its_attempt_and_not_for_a_deadline_it_does_not_serve() {
    let world = World::new(App::new());
    let clock = Arc::clone(&world.clock);
    let counted = Arc::new(Counted {
        inner: Arc::clone(&clock),
        sleeps: AtomicU64::new(0),
    });
    let world = clocked(world, app(&clock), Arc::clone(&counted) as Arc<dyn Clock>);
    let eid = world.start(Start::new("both")).eid;
    let causes = world.causes(eid);
    let pause = async {
        clock.sleep(Duration::from_secs(5)).await;
        world
            .engine
            .pause(eid, "look", Actor::human("ada"))
            .await
            .unwrap();
    };
    let (ended, ()) = world.block(async { futures::join!(world.engine.run(eid, causes), pause) });
    assert_eq!(ended.unwrap(), Ended::Parked(Status::Paused));
    assert!(counted.sleeps.load(Ordering::SeqCst) < 60);
}
