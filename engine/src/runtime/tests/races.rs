//! Two processes on one execution, and the interleavings of FINDINGS.

use std::sync::Arc;
use std::time::Duration;

use super::{App, Ended, clocked};
use crate::runtime::Start;
use crate::testing::{ManualClock, World};
use crate::{Context, Failed};

async fn nap(ctx: Context, nanos: u64) -> Result<u64, Failed> {
    ctx.sleep(Duration::from_nanos(nanos)).await?;
    Ok(nanos)
}

fn napping() -> App {
    App::new().workflow("nap", "1", nap)
}

#[test]
fn an_alarm_is_fired_by_a_worker_whose_clock_lags_to_the_nanosecond() {
    // FINDINGS A6: the alarm proves its instant, also where the key holds less than the due.
    for nanos in [3_600_000_000_000_u64, 3_600_000_000_001, 3_600_000_000_999] {
        let world = World::new(napping());
        let eid = world.start(Start::new("nap").input(&nanos)).eid;
        world.run(eid).unwrap();
        let behind = Arc::new(ManualClock::new("2026-01-01T00:30:00Z".parse().unwrap()));
        world.clock.advance(Duration::from_secs(3601));
        let slow = clocked(world.beside(napping(), "slow", 2), napping(), behind);
        let ended = slow.run(eid).unwrap();
        assert!(matches!(ended, Ended::Terminal(_)), "{nanos}: {ended:?}");
        assert!(world.with_work().is_empty(), "{nanos}");
    }
}
