//! Case 2 of those that other engines got wrong: a message that comes as early as it can.

use millpond::client::{App, EngineError, Signal, Start};
use millpond::domain::{ExecutionId, Text};
use millpond::settings::Settings;
use millpond::{Context, Failed};
use millpond_testing::{Injection, Rule, Verb};

use std::time::Duration;

use crate::stage::Store;

/// The sum of `n` messages.
async fn sums(ctx: Context, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for _ in 0..n {
        sum += ctx.receive::<u64>("in").await?;
    }
    Ok(sum)
}

fn app() -> App {
    App::new().workflow("sums", "1", sums)
}

fn number(n: u64) -> Signal {
    Signal::on("in").value(&n)
}

fn keyed(key: &str) -> ExecutionId {
    ExecutionId::keyed(&Text::parse(key).expect("a plain word"))
}

#[tokio::test]
async fn case_02_messages_at_the_instant_of_the_start_wait_for_the_worker() {
    let store = Store::fresh().await;
    let client = store.process(app(), Settings::default()).await;
    let eid = client.start(Start::new("sums").input(&3_u64)).await;
    client.signal(eid, number(4)).await;
    client.signal(eid, number(50)).await;
    let both = Start::new("sums").input(&2_u64).key("k");
    let both = client.engine.signal_with_start(both, number(7).key("m"));
    both.await.unwrap();
    // The worker, held until now, is another process.
    let worker = store.process(app(), Settings::default()).await;
    worker.work();
    worker.suspended(eid).await;
    client.signal(eid, number(600)).await;
    assert_eq!(client.result::<u64>(eid).await, Ok(654));
    client.signal(keyed("k"), number(80)).await;
    assert_eq!(client.result::<u64>(keyed("k")).await, Ok(87));
}

#[tokio::test]
async fn case_02_a_message_to_a_start_in_flight_is_consumed_if_and_only_if_it_was_acknowledged() {
    let store = Store::fresh().await;
    for (slow, key) in [("mail/", "mail"), ("x/", "head")] {
        let starter = store.process(app(), Settings::default()).await;
        let client = store.process(app(), Settings::default()).await;
        let delay = Rule::new(Injection::Delay(Duration::from_secs(10)));
        starter.faults.add(delay.on(Verb::Write).under(slow));
        let eid = keyed(key);
        let start = Start::new("sums").input(&3_u64).key(key);
        let started = starter.engine.start(start);
        let sent = async {
            while starter.delays.sleepers() == 0 {
                tokio::task::yield_now().await;
            }
            let heard = match client.engine.signal(eid, number(1)).await {
                Ok(_) => 1,
                Err(EngineError::UnknownExecution { .. }) => 0,
                Err(error) => panic!("{error}"),
            };
            starter.delays.advance(Duration::from_secs(10));
            heard
        };
        let (started, heard) = futures::join!(started, sent);
        assert!(started.unwrap().fresh, "{slow}");
        for n in heard..3 {
            client.signal(eid, number(10 + n)).await;
        }
        client.work();
        let expected = heard + (heard..3).map(|n| 10 + n).sum::<u64>();
        assert_eq!(client.result::<u64>(eid).await, Ok(expected), "{slow}");
    }
}

#[tokio::test]
async fn case_02_a_message_to_nobody_is_an_error_that_its_sender_sees() {
    let store = Store::fresh().await;
    let client = store.process(app(), Settings::default()).await;
    let error = client.engine.signal(keyed("nobody"), number(1)).await;
    let error = error.unwrap_err();
    let unknown = matches!(error, EngineError::UnknownExecution { .. });
    assert!(unknown, "{error}");
    assert!(client.causes(keyed("nobody")).await.mail.is_empty());
}
