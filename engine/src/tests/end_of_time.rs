//! Waits until the end of time (N10): the stored instant decides, and nothing spins.

use std::time::Duration;

use jiff::Timestamp;

use crate::client::{Signal, Start};
use crate::domain::Status;
use crate::process::App;
use crate::run::Ended;
use crate::testing::World;
use crate::{Context, Failed};

#[test]
fn n10_a_message_before_the_end_of_time_is_received() {
    async fn waits(ctx: Context, _: ()) -> Result<Option<u64>, Failed> {
        let rest = Timestamp::MAX.duration_since(ctx.now()).unsigned_abs();
        Ok(ctx.receive::<u64>("in").timeout(rest).await?)
    }
    let world = World::new(App::new().workflow("waits", "1", waits));
    let eid = world.start(Start::new("waits")).eid;
    world.run_all();
    world.clock.advance(Duration::from_secs(1));
    world.signal(eid, Signal::on("in").value(&7_u64)).unwrap();
    world.run_all();
    assert_eq!(world.result::<Option<u64>>(eid), Ok(Some(7)));
}

#[test]
fn n10_a_sleep_until_the_end_of_time_is_one_run_and_ends_with_it() {
    async fn sleeps(ctx: Context, _: ()) -> Result<u64, Failed> {
        ctx.sleep_until(Timestamp::MAX).await?;
        Ok(1)
    }
    let world = World::new(App::new().workflow("sleeps", "1", sleeps));
    let eid = world.start(Start::new("sleeps")).eid;
    let ended = world.run(eid).unwrap();
    assert!(matches!(ended, Ended::Suspended(Some(_))), "{ended:?}");
    assert!(world.with_work().is_empty());
    let rest = Timestamp::MAX.duration_since(crate::ports::Clock::now(&*world.clock));
    world.clock.advance(rest.unsigned_abs());
    world.run_all();
    assert_eq!(world.status(eid), Status::Completed);
}
