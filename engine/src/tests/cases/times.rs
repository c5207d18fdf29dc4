//! Case 4: a clock that is set back between the sweep and the run.

use super::super::{App, entries};
use super::{SECOND, number};
use crate::client::Start;
use crate::domain::Entry;
use crate::keys::TimerKey;
use crate::ports::Clock;
use crate::run::Ended;
use crate::testing::World;
use crate::{Context, Failed};

/// A message, a minute at most, and an hour more.
async fn timed(ctx: Context, _: ()) -> Result<u64, Failed> {
    let received = ctx.receive::<u64>("in").timeout(60 * SECOND).await?;
    ctx.sleep(3_600 * SECOND).await?;
    Ok(received.unwrap_or(1_000))
}

fn timers(world: &World) -> Vec<TimerKey> {
    let rows = world.memory.snapshot();
    rows.iter()
        .filter_map(|(key, _)| TimerKey::parse(key))
        .collect()
}

#[test]
fn case_04_a_timer_swept_as_due_is_fired_though_the_clock_is_set_back_before_the_run() {
    for back in [2, 3_600] {
        let world = World::new(App::new().workflow("timed", "1", timed));
        let eid = world.start(Start::new("timed")).eid;
        world.run_all();
        world.clock.advance(60 * SECOND);
        let swept = world.causes(eid);
        assert_eq!(swept.timers.len(), 1);
        world.clock.set(world.clock.now() - back * SECOND);
        let ended = world.block(world.engine.run(eid, swept)).unwrap();
        assert!(matches!(ended, Ended::Suspended(Some(_))), "{ended:?}");
        let fired = |entry: &Entry| matches!(entry, Entry::FrameFulfilled { mid: None, .. });
        assert_eq!(entries(&world, eid).iter().filter(|e| fired(e)).count(), 1);
        assert_eq!(timers(&world).len(), 1, "the next one");
        world.skip(2 * 3_600 * SECOND + back * SECOND);
        assert_eq!(world.result::<u64>(eid), Ok(1_000), "{back} s");
        let page = world.block(world.engine.journal(eid, 0, 99)).unwrap();
        assert!(
            page.commits.is_sorted_by_key(|commit| commit.at),
            "{back} s"
        );
        assert!(timers(&world).is_empty());
    }
}

#[test]
fn case_04_a_timer_that_another_cause_overtakes_is_kept_unfired_until_its_instant() {
    for back in [2, 3_600] {
        let world = World::new(App::new().workflow("timed", "1", timed));
        let eid = world.start(Start::new("timed")).eid;
        world.run_all();
        world.clock.advance(60 * SECOND);
        let mut swept = world.causes(eid);
        world.clock.set(world.clock.now() - back * SECOND);
        // A sweep that was seen is lost; what wakes the run is somebody's message, elsewhere.
        let timer = swept.timers.pop().unwrap();
        let other = crate::client::Signal::on("other").value(&1_u64);
        world.signal(eid, other).unwrap();
        world.run(eid).unwrap();
        let rows = world.memory.snapshot();
        assert!(
            rows.iter().any(|(key, _)| *key == timer),
            "{back} s: deleted unfired"
        );
        // And a message that is there beats the deadline, as it always does.
        world.signal(eid, number(7)).unwrap();
        world.skip(2 * 3_600 * SECOND + back * SECOND);
        assert_eq!(world.result::<u64>(eid), Ok(7), "{back} s");
        assert!(timers(&world).is_empty());
    }
}
