//! Case 15: a crash between a commit and the feed, and feed objects out of order.

use std::time::Duration;

use millpond::client::{App, Filter, Signal, Start};
use millpond::domain::Status;
use millpond::feed;
use millpond::settings::Settings;
use millpond::{Context, Failed, StepError};
use millpond_testing::{Injection, Rule, Verb};

use crate::stage::{Process, Store};

async fn one(_: ()) -> Result<u64, StepError> {
    Ok(1)
}

async fn hears(ctx: Context, (): ()) -> Result<u64, Failed> {
    let one = ctx.call("one", one, &()).await?;
    Ok(one + ctx.receive::<u64>("in").await?)
}

fn app() -> App {
    App::new().workflow("hears", "1", hears)
}

/// What the feed says of each commit, oldest first, and what a list shows.
async fn told(process: &Process) -> (Vec<(u64, Status)>, Vec<Status>) {
    let ports = process.engine.ports();
    let keys = feed::events(ports, None, None).await.expect("it is listed");
    let keys: Vec<_> = keys.into_iter().map(|(key, _)| key).collect();
    let told = feed::read(ports, &keys, 4).await.expect("it is read");
    let mut told: Vec<_> = told.iter().map(|told| (told.commit, told.status)).collect();
    told.sort_by_key(|told| told.0);
    let rows = process.engine.list(&Filter::default()).await;
    let rows = rows.expect("it is listed");
    (told, rows.iter().map(|row| row.status).collect())
}

#[tokio::test]
async fn case_15_a_crash_between_a_commit_and_the_feed_is_repaired_by_the_next_run() {
    for injection in [Injection::Died, Injection::LandedAndDied] {
        let store = Store::fresh().await;
        let [dying, next] = [
            store.process(app(), Settings::default()).await,
            store.process(app(), Settings::default()).await,
        ];
        let eid = next.start(Start::new("hears")).await;
        next.signal(eid, Signal::on("in").value(&6_u64)).await;
        let cut = Rule::new(injection).on(Verb::Write).under("feed/");
        dying.faults.add(cut);
        let causes = dying.causes(eid).await;
        let died = dying.engine.run(eid, causes).await;
        assert!(dying.faults.is_dead(), "{died:?}");
        // Who asks the head knows, though the feed may not.
        let engine = &next.engine;
        assert_eq!(engine.status(eid).await.unwrap(), Status::Completed);
        let lost = usize::from(injection == Injection::LandedAndDied);
        assert_eq!(told(&next).await.0.len(), lost);
        assert!(!next.causes(eid).await.mail.is_empty(), "its causes stay");
        next.run(eid).await;
        let (feed, list) = told(&next).await;
        let newest = feed.last().map(|told| told.1);
        assert_eq!((feed.len(), newest), (1, Some(Status::Completed)));
        assert_eq!(list, [Status::Completed]);
        assert!(next.causes(eid).await.mail.is_empty());
    }
}

#[tokio::test]
async fn case_15_an_older_feed_object_that_lands_last_overwrites_nothing() {
    let late = Duration::from_secs(10);
    let store = Store::fresh().await;
    let [slow, next] = [
        store.process(app(), Settings::default()).await,
        store.process(app(), Settings::default()).await,
    ];
    let eid = next.start(Start::new("hears")).await;
    let delay = Rule::new(Injection::Delay(late))
        .on(Verb::Write)
        .under("feed/");
    slow.faults.add(delay);
    let causes = slow.causes(eid).await;
    let suspends = slow.engine.run(eid, causes);
    let meanwhile = async {
        while slow.delays.sleepers() == 0 {
            tokio::task::yield_now().await;
        }
        // It is suspended, and its feed object is under way. Another process takes it to its end.
        assert_eq!(next.engine.status(eid).await.unwrap(), Status::Suspended);
        next.signal(eid, Signal::on("in").value(&6_u64)).await;
        next.run(eid).await;
        assert_eq!(next.result::<u64>(eid).await, Ok(7));
        let before = told(&next).await;
        slow.delays.advance(late);
        before
    };
    let (_, before) = futures::join!(suspends, meanwhile);
    let after = told(&next).await;
    assert_eq!(before.1, [Status::Completed]);
    assert_eq!(after.1, [Status::Completed]);
    assert_eq!(
        after.0, before.0,
        "each commit is told once, the newest last"
    );
    assert_eq!(after.0.last().map(|told| told.1), Some(Status::Completed));
    assert_eq!(next.engine.status(eid).await.unwrap(), Status::Completed);
}
