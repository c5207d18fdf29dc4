//! Requests that get no reply (N13).

use super::*;
use crate::client::Start;
use crate::domain::Status;
use crate::testing::{Injection, Rule};

/// Starts `n` executions; the requests to the objects of those that are `hung` have no reply.
fn start(world: &World, n: usize, hung: bool) -> Vec<ExecutionId> {
    let start = |_| {
        let eid = world.start(Start::new("sequential").input(&2_u64)).eid;
        if hung {
            let hangs = Rule::new(Injection::Delay(45 * SECOND));
            let head = crate::keys::head(&eid);
            world.faults.add(hangs.under(head.as_str()).always());
        }
        eid
    };
    (0..n).map(start).collect()
}

fn are_completed(world: &World, eids: &[ExecutionId]) -> bool {
    let status = |eid: &ExecutionId| {
        let head: serde_json::Value = world.head(*eid).get().unwrap();
        head["status"] == "completed"
    };
    eids.iter().all(status)
}

#[test]
fn n13_executions_without_replies_leave_runs_to_the_others() {
    let (world, _) = world();
    let hung = start(&world, 81, true);
    let first = start(&world, 169, false);
    let what = async {
        sleep(&world, 65 * SECOND).await;
        assert!(are_completed(&world, &first));
        let second = start(&world, 50, false);
        sleep(&world, 2 * SECOND).await;
        assert!(
            are_completed(&world, &second),
            "half of the runs are theirs"
        );
        world.faults.heal();
        sleep(&world, 90 * SECOND).await;
    };
    beside(&world, options(&world, &Log::default()), what);
    for eid in hung {
        assert_eq!(world.status(eid), Status::Completed);
    }
}

#[test]
fn n13_a_request_without_reply_is_tried_twice_then_the_run_ends() {
    let (world, _) = world();
    let [eid] = start(&world, 1, true)[..] else {
        unreachable!()
    };
    let before = world.clock.monotonic();
    let error = world.run(eid).unwrap_err();
    assert!(error.to_string().contains("bucket read failed"), "{error}");
    let spent = world.clock.monotonic() - before;
    assert!((30 * SECOND..33 * SECOND).contains(&spent), "{spent:?}");
}
