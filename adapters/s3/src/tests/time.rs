//! The store's clock, from its answers.

use jiff::{SignedDuration, Timestamp};
use millpond::doors::Bucket as _;

use super::script::{Answer, Script, key};

#[tokio::test]
async fn the_dates_of_answers_teach_the_store_s_time_whatever_they_answer() {
    // An hour ahead; errors count as well: throttled and absent.
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
