//! Tests of the spawner on one thread.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::{join, pending};
use futures::{FutureExt as _, pin_mut};

use super::clock;
use crate::ports::{Clock, Spawner};
use crate::testing::{ManualClock, Pool};

const DAY: Duration = Duration::from_secs(86_400);

type Log = Arc<Mutex<Vec<&'static str>>>;

async fn say_after(clock: Arc<ManualClock>, log: Log, days: u32, word: &'static str) {
    clock.sleep(days * DAY).await;
    log.lock().unwrap().push(word);
}

#[test]
fn time_that_everybody_sleeps_through_is_skipped_in_order() {
    let (clock, pool, log) = (clock(), Pool::new(), Log::default());
    for (days, word) in [(30, "c"), (10, "a"), (20, "b"), (90, "never")] {
        let _abort = pool.spawn(say_after(clock.clone(), log.clone(), days, word).boxed());
    }
    pool.run_until(&clock, clock.sleep(40 * DAY));
    assert_eq!(*log.lock().unwrap(), ["a", "b", "c"]);
    assert_eq!(clock.monotonic(), 40 * DAY);
    assert_eq!(pool.tasks(), 1);
}

#[test]
fn a_later_run_goes_on_with_the_tasks_of_an_earlier_one() {
    let (clock, pool, log) = (clock(), Pool::new(), Log::default());
    let _abort = pool.spawn(say_after(clock.clone(), log.clone(), 2, "late").boxed());
    pool.run_until(&clock, clock.sleep(DAY));
    assert!(log.lock().unwrap().is_empty());
    pool.run_until(&clock, clock.sleep(2 * DAY));
    assert_eq!((log.lock().unwrap().len(), pool.tasks()), (1, 0));
}

#[test]
fn tasks_wake_each_other_without_time_passing() {
    let (clock, pool) = (clock(), Pool::new());
    let (ask, asked) = oneshot::channel();
    let (answer, answered) = oneshot::channel();
    let _abort = pool.spawn(Box::pin(async move {
        answer.send(asked.await.unwrap() + 1).unwrap();
    }));
    let main = async {
        ask.send(1).unwrap();
        answered.await.unwrap()
    };
    assert_eq!(pool.run_until(&clock, main), 2);
    assert_eq!(clock.monotonic(), Duration::ZERO);
}

#[test]
fn a_stalled_run_returns_and_can_go_on_when_time_has_passed() {
    let (clock, pool) = (clock(), Pool::new());
    let main = join(clock.sleep(DAY), clock.sleep(2 * DAY));
    pin_mut!(main);
    assert_eq!(pool.run_until_stalled(&mut main), None);
    clock.advance(DAY);
    assert_eq!(pool.run_until_stalled(&mut main), None);
    clock.advance(DAY);
    assert_eq!(pool.run_until_stalled(&mut main), Some(((), ())));
}

#[test]
fn an_aborted_task_is_dropped_at_once_and_never_runs() {
    let (clock, pool) = (clock(), Pool::new());
    let witness = Arc::new(());
    let held = witness.clone();
    let abort = pool.spawn(Box::pin(async move {
        let _held = held;
        unreachable!("the task was aborted before its first turn");
    }));
    abort();
    assert_eq!((Arc::strong_count(&witness), pool.tasks()), (1, 0));
    pool.run_until(&clock, clock.sleep(DAY));
}

#[test]
fn a_task_that_aborts_itself_ends_at_its_next_suspension_point() {
    let (clock, pool, log) = (clock(), Pool::new(), Log::default());
    let (handle, abort) = oneshot::channel();
    let (slept, words) = (clock.clone(), log.clone());
    let own = pool.spawn(Box::pin(async move {
        let abort: crate::ports::Abort = abort.await.unwrap();
        abort();
        words.lock().unwrap().push("still running");
        say_after(slept, words, 1, "beyond").await;
    }));
    assert!(handle.send(own).is_ok());
    pool.run_until(&clock, clock.sleep(3 * DAY));
    assert_eq!(*log.lock().unwrap(), ["still running"]);
    assert_eq!(pool.tasks(), 0);
}

#[test]
fn blocking_work_is_done_before_the_call_returns() {
    let pool = Pool::new();
    let (done, mut seen) = oneshot::channel();
    pool.blocking(Box::new(move || done.send(7).unwrap()));
    assert_eq!(seen.try_recv().unwrap(), Some(7));
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_wait_for_what_nobody_does_is_called_a_deadlock() {
    Pool::new().run_until(&clock(), pending::<()>());
}
