//! A scrape of a worker's metrics.

use std::sync::Arc;

use futures::executor::block_on;
use hyper::{Method, StatusCode};
use millpond::client::{App, Ended, WorkerEvent};
use millpond::domain::{Queue, Status};
use millpond::keys::Key;
use millpond::ports::{Bucket, Clock as _, Expect};
use millpond_testing::World;
use millpond_wrappers::Metered;

use super::serve::answer;
use super::{Meters, Seen};

fn meters() -> (World, Meters) {
    let world = World::new(App::new());
    let meters = Meters {
        engine: world.engine.clone(),
        metered: Arc::new(Metered::new(world.memory.clone())),
        seen: Seen::default(),
    };
    (world, meters)
}

fn eid(n: u8) -> millpond::ExecutionId {
    let text = format!("00000000-0000-4000-8000-0000000000{n:02x}");
    millpond::ExecutionId::parse(&text).unwrap()
}

#[test]
fn e21_a_scrape_has_runs_by_result_lags_and_requests() {
    let (world, meters) = meters();
    let key = Key::parse("mail/a").unwrap();
    let _ = block_on(meters.metered.write(&key, "{}".into(), Expect::Absent)).unwrap();
    let sent = world.clock.now();
    world.clock.advance(std::time::Duration::from_secs(90));
    for event in [
        WorkerEvent::Began(eid(1)),
        WorkerEvent::Began(eid(2)),
        WorkerEvent::Began(eid(3)),
        WorkerEvent::Ended(eid(1), Ended::Terminal(Status::Failed)),
        WorkerEvent::Ended(eid(2), Ended::Parked(Status::Blocked)),
        WorkerEvent::FoundMail {
            queue: Queue::default(),
            oldest: Some(sent),
        },
        WorkerEvent::FoundTimers { earliest: None },
    ] {
        meters.seen.observe(&event);
    }
    let text = meters.text().unwrap();
    for line in [
        "millpond_runs_total 0",
        "millpond_runs_in_progress 1.0",
        "millpond_runs_ended_total{result=\"failed\"} 1",
        "millpond_runs_ended_total{result=\"blocked\"} 1",
        "millpond_mail_oldest_seconds{queue=\"default\"} 90.0",
        "millpond_timer_late_seconds 0.0",
        "millpond_polls_failing 0.0",
        "millpond_requests_total{verb=\"create\",kind=\"other\"} 1",
        "# TYPE millpond_requests_throttled counter",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
    assert!(text.ends_with("# EOF\n"), "{text}");
}

#[test]
fn e21_a_worker_whose_polls_fail_is_not_healthy() {
    let (_world, meters) = meters();
    let status = |method, path| answer(&method, path, &meters).status();
    assert_eq!(status(Method::GET, "/health"), StatusCode::OK);
    assert_eq!(status(Method::GET, "/metrics"), StatusCode::OK);
    assert_eq!(status(Method::GET, "/"), StatusCode::NOT_FOUND);
    assert_eq!(
        status(Method::POST, "/metrics"),
        StatusCode::METHOD_NOT_ALLOWED
    );
    let failing = WorkerEvent::PollFailing("denied".to_owned());
    meters.seen.observe(&failing);
    assert_eq!(
        status(Method::GET, "/health"),
        StatusCode::SERVICE_UNAVAILABLE
    );
    meters.seen.observe(&WorkerEvent::PollRecovered);
    assert_eq!(status(Method::GET, "/health"), StatusCode::OK);
}
