//! `Retry-After`: seconds, or the date until which to wait.

use std::time::Duration;

use jiff::Timestamp;

/// The delay to wait. A date is compared with the `Date` of the same response, since both come from
/// the store's clock; without one, with `now`. A date in the past is no delay.
pub(crate) fn parse(value: &str, date: Option<&str>, now: Timestamp) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = instant(value)?;
    let from = date.and_then(instant).unwrap_or(now);
    Some(Duration::try_from(until.duration_since(from)).unwrap_or_default())
}

/// The instant of an HTTP date.
pub(crate) fn instant(text: &str) -> Option<Timestamp> {
    let time = httpdate::parse_http_date(text.trim()).ok()?;
    Timestamp::try_from(time).ok()
}
