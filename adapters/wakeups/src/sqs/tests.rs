//! Messages sent by a scripted post.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use millpond::domain::{ExecutionId, Queue};
use millpond::keys::{self, Key};
use millpond::ports::{Clock as _, Hint, Wakeups as _};
use millpond_testing::ManualClock;

use super::{Message, Post, SqsWakeups, body, parse};

#[derive(Debug, Default)]
struct Posted {
    batches: Mutex<Vec<(String, Vec<Message>)>>,
    broken: bool,
}

#[async_trait]
impl Post for Posted {
    async fn post(
        &self,
        url: &str,
        messages: &[Message],
    ) -> Result<usize, Box<dyn Error + Send + Sync>> {
        let mut batches = self.batches.lock().unwrap();
        batches.push((url.to_owned(), messages.to_vec()));
        match self.broken {
            true => Err("no way".into()),
            false => Ok(0),
        }
    }
}

fn eid(number: u8) -> ExecutionId {
    ExecutionId::parse(&format!("00000000-0000-4000-8000-0000000000{number:02}")).unwrap()
}

fn mail(number: u8, queue: &str) -> Hint {
    let (queue, eid) = (Queue::parse(queue).unwrap(), eid(number));
    let cause = keys::mail(&queue, &eid, &millpond::domain::MessageId::start());
    Hint {
        queue,
        eid,
        cause,
        at: None,
    }
}

struct World {
    posted: Arc<Posted>,
    clock: Arc<ManualClock>,
    wakeups: SqsWakeups,
}

fn world(reach: u64, broken: bool) -> World {
    let posted = Arc::new(Posted {
        broken,
        ..Posted::default()
    });
    let clock = ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap());
    let clock = Arc::new(clock);
    let urls = ["default", "slow"].map(|queue| {
        let url = format!("https://sqs/{queue}");
        (Queue::parse(queue).unwrap(), url)
    });
    let post = Arc::clone(&posted) as Arc<dyn Post>;
    let reach = Duration::from_secs(reach);
    let wakeups = SqsWakeups::new(post, BTreeMap::from(urls), reach, clock.clone());
    World {
        posted,
        clock,
        wakeups,
    }
}

impl World {
    fn timer(&self, ahead: Duration) -> Hint {
        let (queue, eid) = (Queue::default(), eid(1));
        let due = self.clock.now().checked_add(ahead).unwrap();
        let cause = keys::timer(due, &queue, &eid, 3);
        Hint {
            queue,
            eid,
            cause,
            at: Some(due),
        }
    }

    fn delays(&self) -> Vec<i32> {
        let batches = self.posted.batches.lock().unwrap();
        batches
            .iter()
            .flat_map(|(_, row)| row.iter().map(|m| m.delay))
            .collect()
    }
}

#[tokio::test]
async fn hints_that_are_rung_together_share_requests_by_their_queue() {
    let world = world(60, false);
    for number in 10..35 {
        world.wakeups.notify(mail(number, "default")).await;
    }
    world.wakeups.notify(mail(50, "slow")).await;
    world.wakeups.flush().await;
    let batches = world.posted.batches.lock().unwrap();
    let mut sizes: Vec<_> = batches
        .iter()
        .map(|(url, row)| (url.as_str(), row.len()))
        .collect();
    sizes.sort_unstable();
    let default = "https://sqs/default";
    let whole = [
        (default, 5),
        (default, 10),
        (default, 10),
        ("https://sqs/slow", 1),
    ];
    assert_eq!(sizes, whole);
    let mut all: Vec<Hint> = batches
        .iter()
        .flat_map(|(_, row)| row.iter().map(|m| parse(&m.body).unwrap()))
        .collect();
    all.sort_by_key(|hint| hint.eid);
    let mut sent: Vec<Hint> = (10..35).map(|n| mail(n, "default")).collect();
    sent.push(mail(50, "slow"));
    assert_eq!(all, sent);
}

#[tokio::test]
async fn a_timer_is_kept_back_until_it_is_due_and_never_comes_before() {
    let world = world(60, false);
    let cases = [
        (Duration::ZERO, 0),
        (Duration::from_micros(1), 1),
        (Duration::from_secs(1), 1),
        (Duration::from_millis(41_500), 42),
        (Duration::from_secs(60), 60),
    ];
    for (ahead, _) in cases {
        world.wakeups.notify(world.timer(ahead)).await;
        world.wakeups.flush().await;
    }
    assert_eq!(world.delays(), cases.map(|(_, delay)| delay));
    // Past its time: sent without delay.
    let late = world.timer(Duration::from_secs(5));
    world.clock.advance(Duration::from_secs(10));
    world.wakeups.notify(late.clone()).await;
    world.wakeups.flush().await;
    assert_eq!(world.delays().last(), Some(&0));
    let batches = world.posted.batches.lock().unwrap();
    let last = batches.last().unwrap().1[0].clone();
    assert_eq!(parse(&last.body), Some(late));
}

#[tokio::test]
async fn a_timer_out_of_reach_is_left_to_the_sweeper() {
    let world = world(60, false);
    let far = Duration::from_secs(61);
    world.wakeups.notify(world.timer(far)).await;
    world.wakeups.flush().await;
    assert!(world.delays().is_empty());
    // Whatever the requested reach: SQS delays no message longer than 15 minutes.
    let world = self::world(100_000, false);
    for ahead in [900, 901, 90_000] {
        let ahead = Duration::from_secs(ahead);
        world.wakeups.notify(world.timer(ahead)).await;
    }
    world.wakeups.flush().await;
    assert_eq!(world.delays(), [900]);
}

#[tokio::test]
async fn a_queue_without_a_url_is_named_and_no_unsent_hint() {
    let world = world(60, false);
    for number in 10..20 {
        world.wakeups.notify(mail(number, "other")).await;
        world.wakeups.notify(mail(number, "default")).await;
    }
    world.wakeups.flush().await;
    let batches = std::mem::take(&mut *world.posted.batches.lock().unwrap());
    assert_eq!(batches.len(), 1);
    assert_eq!(batches[0].0, "https://sqs/default");
    assert_eq!(world.wakeups.unsent(), 0);
    let other = BTreeSet::from([Queue::parse("other").unwrap()]);
    assert_eq!(world.wakeups.take_unknown(), other);
    assert_eq!(world.wakeups.take_unknown(), BTreeSet::new());
    // A foreign writer can name any number of queues.
    for number in 0..3_000 {
        world.wakeups.notify(mail(10, &format!("q{number}"))).await;
    }
    assert_eq!(world.wakeups.take_unknown().len(), 100);
}

#[tokio::test]
async fn a_post_that_fails_makes_room_and_is_counted() {
    let world = world(60, true);
    // More than may wait at once: dropped hints free their places.
    for _ in 0..3_000 {
        world.wakeups.notify(mail(10, "default")).await;
    }
    world.wakeups.flush().await;
    let sent: usize = {
        let batches = world.posted.batches.lock().unwrap();
        batches.iter().map(|(_, row)| row.len()).sum()
    };
    assert_eq!(sent, 3_000);
    // Dropped hints are counted: a sweeper must not report success.
    assert_eq!(world.wakeups.unsent(), 3_000);
}

#[test]
fn a_text_that_is_no_hint_is_none() {
    let good = body(&mail(10, "default"));
    assert_eq!(parse(&good), Some(mail(10, "default")));
    let bad = [
        good.replace("\"millpond\":1", "\"millpond\":2"),
        good.replace("\"queue\":\"default\"", "\"queue\":\"slow\""),
        good.replace("mail/default", "mail/slow"),
        good.replace("/0.start", ""),
        "{}".to_owned(),
        String::new(),
    ];
    for text in bad {
        assert_eq!(parse(&text), None, "{text}");
    }
    let other = Key::parse("x/00/a").unwrap();
    let hint = Hint {
        cause: other,
        ..mail(10, "default")
    };
    assert_eq!(parse(&body(&hint)), None);
}
