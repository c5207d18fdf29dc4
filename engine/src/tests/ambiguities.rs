//! Rules B18 to B24: what two developers would build differently (docs/protocol.md, Labels).

use std::sync::Arc;
use std::time::Duration;

use futures::future::join;

use super::findings::{HOUR, app, begun};
use super::{App, Ended, neighbour};
use crate::client::{Signal, Start};
use crate::domain::Status;
use crate::keys::MailKey;
use crate::ports::Clock;
use crate::run::Causes;
use crate::testing::{Injection, ManualClock, Rule, World};
use crate::{Context, Failed, StepError};

#[test]
fn b18_of_two_starters_with_one_key_the_head_decides_and_the_other_is_answered_with_it() {
    let world = World::new(app());
    let dead = world.beside(app(), "dead", 2);
    dead.faults
        .add(Rule::new(Injection::Died).under("x/").on_writes());
    let one = || {
        Start::new("sequential")
            .input(&3_u64)
            .queue("slow")
            .key("k")
    };
    let two = || {
        Start::new("sequential")
            .input(&4_u64)
            .queue("fast")
            .key("k")
    };
    assert!(dead.block(dead.engine.start(one())).is_err());
    let second = world.start(two());
    assert!(second.fresh && !second.differs);
    let rows = world.memory.snapshot();
    let mails = rows.iter().filter_map(|(key, _)| MailKey::parse(key));
    assert_eq!(mails.count(), 2, "a mail in each queue");
    world.run_all();
    assert_eq!(world.result::<u64>(second.eid), Ok(6), "the head's input");
    assert!(
        world.with_work().is_empty(),
        "mail in another queue's box is stale"
    );
    let again = world.start(one());
    assert!(!again.fresh && again.differs);
}

#[test]
pub(super) fn b22_mail_that_comes_during_the_final_commit_is_served_by_the_same_run() {
    let (world, eid) = begun(Start::new("timed").input(&2_u64));
    world.signal(eid, Signal::on("in").value(&4_u64)).unwrap();
    let slow = neighbour(&world, app, 2);
    slow.faults.add(
        Rule::new(Injection::Delay(Duration::from_secs(5)))
            .under("x/")
            .on_writes(),
    );
    let sender = async {
        world.clock.sleep(Duration::from_secs(2)).await;
        let message = Signal::on("in").value(&5_u64);
        world.engine.signal(eid, message).await.unwrap();
    };
    // As with a queue: a reported cause is gone when the run lists again.
    let causes = Causes {
        possible_duplicate: true,
        ..world.causes(eid)
    };
    let (ended, ()) = world.block(join(slow.engine.run(eid, causes), sender));
    assert_eq!(ended.unwrap(), Ended::Terminal(Status::Completed));
    assert_eq!(world.result::<u64>(eid), Ok(9));
}

#[test]
fn b24_a_listed_message_beats_a_passed_deadline() {
    let (world, eid) = begun(Start::new("timed").input(&1_u64));
    world.signal(eid, Signal::on("in").value(&4_u64)).unwrap();
    world.clock.advance(HOUR * 5);
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(4));
}

#[test]
pub(super) fn b24_a_message_beats_the_deadline_that_passes_while_a_step_runs() {
    async fn both(ctx: Context, clock: Arc<ManualClock>) -> Result<Option<u64>, Failed> {
        let step = ctx.step("slow", move || {
            let clock = Arc::clone(&clock);
            async move {
                clock.sleep(Duration::from_secs(20)).await;
                Ok::<_, StepError>(())
            }
        });
        let received = ctx.receive::<u64>("in").timeout(Duration::from_secs(5));
        let (step, received) = futures::join!(step, received);
        step?;
        Ok(received?)
    }
    let clock = Arc::new(std::sync::OnceLock::new());
    let app = || {
        let clock = Arc::clone(&clock);
        let clock = move || Arc::clone(clock.get().unwrap());
        App::new().workflow("both", "1", move |ctx, (): ()| both(ctx, clock()))
    };
    let world = World::new(app());
    clock.set(Arc::clone(&world.clock)).unwrap();
    let eid = world.start(Start::new("both")).eid;
    let other = neighbour(&world, app, 2);
    let sender = async {
        other.clock.sleep(Duration::from_secs(3)).await;
        let message = Signal::on("in").value(&7_u64);
        other.engine.signal(eid, message).await.unwrap();
    };
    let (ended, ()) = world.block(join(world.engine.run(eid, world.causes(eid)), sender));
    ended.unwrap();
    assert_eq!(world.result::<Option<u64>>(eid), Ok(Some(7)));
}
