//! The logged and the omitted parts of a request.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use millpond::keys::Prefix;
use millpond::ports::{Bucket, Clock, Expect};
use millpond_testing::{Delayed, Injection, Pool, Rule};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt as _;

use super::{key, store};
use crate::Traced;

/// The output of a test's log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The log at `level` of one request of each verb, one of them throttled.
fn logged(level: LevelFilter) -> Vec<String> {
    let log = Log::default();
    let writer = log.clone();
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .without_time();
    let subscriber = tracing_subscriber::registry().with(level).with(lines);
    tracing::subscriber::with_default(subscriber, || {
        let (faults, clock) = store();
        let time = Arc::clone(&clock) as Arc<dyn Clock>;
        faults.add(Rule::new(Injection::SlowDown(None)).under("busy"));
        let far = Duration::from_millis(15);
        let far = Delayed::fixed(faults as Arc<dyn Bucket>, Arc::clone(&time), far);
        let traced = Traced::new(Arc::new(far), time);
        let body = Bytes::from_static(b"nobody's business");
        Pool::new().run_until(&clock, async {
            let at = key("timers/a");
            let _ = traced.write(&at, body.clone(), Expect::Absent).await;
            let _ = traced.write(&at, body, Expect::Absent).await;
            let _ = traced.read(&at).await;
            let _ = traced.read(&key("busy/b")).await;
            let timers = Prefix::parse("timers/").unwrap();
            let _ = traced.list(&timers, None, 5).await;
            let _ = traced.delete(&at).await;
        });
    });
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    text.lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn each_request_is_one_event_at_debug_and_its_body_is_none_of_it() {
    let lines = logged(LevelFilter::DEBUG);
    let event = |verb: &str, kind: &str, key: &str, outcome: &str, bytes: usize| {
        format!(
            "DEBUG millpond::bucket: verb=\"{verb}\" kind=\"{kind}\" key=\"{key}\" \
             outcome=\"{outcome}\" bytes={bytes} micros=15000"
        )
    };
    assert_eq!(
        lines,
        [
            event("create", "other", "timers/a", "landed", 17),
            event("create", "other", "timers/a", "refused", 17),
            event("read", "other", "timers/a", "found", 17),
            event("read", "other", "busy/b", "throttled", 0),
            event("list", "timer", "timers/", "last page", 0),
            event("delete", "other", "timers/a", "deleted", 0),
        ]
    );
}

#[test]
fn nothing_is_logged_above_debug() {
    assert_eq!(logged(LevelFilter::INFO), Vec::<String>::new());
}
