//! Two passes at once: each step is done once, whoever is slow at which request.

use futures::future::join;

use super::{
    DAY, Duration, app, describe, ended, is_archived, is_freed, neighbour, nothing_is_wrong,
};
use super::{Notice, Retained, Retention, RetentionSettings, under, world};
use crate::testing::{Injection, Rule, World};

async fn pass(world: &World) -> Retained {
    let retention = Retention::new(&world.engine, RetentionSettings::default()).unwrap();
    retention.pass(&Notice::new()).await.unwrap()
}

#[test]
fn i10_two_passes_at_once_archive_each_execution_once_and_free_its_key() {
    for slow_at in 0..40 {
        let world = world();
        let eid = ended(&world, "rich", 5);
        let before = describe(&world, eid);
        let both = |freed: bool| {
            let others = [4, 5].map(|seed| neighbour(&world, app, seed + u64::from(freed) * 2));
            let slow = Rule::new(Injection::Delay(Duration::from_secs(3)));
            others[0].faults.add(slow.at(slow_at));
            let slower = Rule::new(Injection::Delay(Duration::from_secs(5)));
            others[1].faults.add(slower.at(slow_at / 2));
            let (one, two) = world.block(join(pass(&others[0]), pass(&others[1])));
            (one, two)
        };
        world.clock.advance(DAY * 8);
        let (one, two) = both(false);
        let done = one.archived + two.archived;
        assert_eq!(done, 2, "slow at {slow_at}: {one:?} {two:?}");
        is_archived(&world, eid, &before);
        nothing_is_wrong(&world);
        world.clock.advance(DAY * 91);
        let (one, two) = both(true);
        assert!(
            one.freed + two.freed >= 2,
            "slow at {slow_at}: {one:?} {two:?}"
        );
        is_freed(&world, eid, &before);
        assert_eq!(under(&world, "feed/"), []);
        nothing_is_wrong(&world);
    }
}
