//! The store's clock, derived from its responses.

use jiff::{SignedDuration, Timestamp};
use millpond::ports::{Bucket as _, Expect, Outcome};

use super::script::{Answer, Script, key};

#[tokio::test]
async fn the_dates_of_answers_teach_the_store_s_time_whatever_they_answer() {
    // One hour ahead; errors count as well: throttled and absent.
    let (ahead, mut asked) = (SignedDuration::from_hours(1), 0);
    let script = Script::play(move |_| {
        asked += 1;
        let now = Timestamp::now() + ahead;
        let date = now.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        let answer = match asked % 2 {
            0 => Answer::error(503, "SlowDown"),
            _ => Answer::error(404, "NoSuchKey"),
        };
        answer.with("date", date)
    });
    let bucket = script.bucket().await;
    assert!(bucket.time().ahead().abs() < SignedDuration::from_secs(1));
    let first = bucket.read(&key("a")).await;
    assert!(first.unwrap().is_none());
    let step = bucket.time().ahead();
    assert!(
        step > SignedDuration::from_secs(3) && step < SignedDuration::from_secs(6),
        "{step}"
    );
    for _ in 0..11 {
        let _ = bucket.read(&key("a")).await;
    }
    let off = (bucket.time().ahead() - ahead).abs();
    assert!(off < SignedDuration::from_secs(2), "{off}");
}

#[tokio::test]
async fn a_request_that_is_signed_for_another_time_is_passing_trouble_and_the_next_is_for_the_store_s()
 {
    for hours in [-3, 3] {
        let off = SignedDuration::from_hours(hours);
        let script = Script::play(move |asked| {
            let now = Timestamp::now() + off;
            let signed = asked.signed.as_deref().unwrap();
            let signed: Timestamp = signed.parse().unwrap();
            let date = now.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
            match now.duration_since(signed).as_secs().abs() {
                0..900 => Answer::ok("\"v\"").with("date", date),
                _ => Answer::error(403, "RequestTimeTooSkewed").with("date", date),
            }
        });
        let bucket = script.bucket().await;
        let a = key("a");
        let write = || bucket.write(&a, "1".into(), Expect::Absent);
        let refused = write().await.unwrap_err();
        assert!(refused.is_transient(), "{refused:?}");
        let landed = write().await.unwrap();
        assert!(matches!(landed, Outcome::Landed(_)), "{landed:?}");
        // Objects written from now on have the store's instants, too.
        let off = (bucket.time().ahead() - off).abs();
        assert!(off < SignedDuration::from_secs(2), "{off}");
    }
}
