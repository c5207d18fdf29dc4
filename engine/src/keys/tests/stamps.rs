//! Instants in keys sort as text, and only one spelling is accepted.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::{at, instants};
use crate::domain::unstamp;
use crate::keys::{feed_day, stamp};

#[test]
fn stamps_sort_as_instants_over_every_boundary() {
    let begin = at("-000001-12-31T23:59:59.999999Z");
    let mut before = stamp(Timestamp::MIN);
    assert_eq!(before, "00000101T000000.000000Z");
    assert_eq!(stamp(begin), before, "before the year 0 is its begin");
    for text in [
        "0000-01-01T00:00:00.000001Z",
        "0999-12-31T23:59:59Z",
        "1000-01-01T00:00:00Z",
        "1969-12-31T23:59:59.999999Z",
        "1970-01-01T00:00:00Z",
        "1999-12-31T23:59:59.999999Z",
        "2000-01-01T00:00:00Z",
        "2024-02-29T23:59:59Z",
        "2024-03-01T00:00:00Z",
        "2025-12-31T23:59:59.999999Z",
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00.000001Z",
        "2026-09-30T00:00:00Z",
        "2026-10-01T00:00:00Z",
        "9999-12-30T21:59:59Z",
    ] {
        let next = stamp(at(text));
        assert!(before < next, "{before} {next}");
        assert_eq!(next.len(), 23);
        assert_eq!(unstamp(&next), Some(at(text)));
        before = next;
    }
    assert!(before < stamp(Timestamp::MAX));
}

#[test]
fn other_spellings_of_an_instant_are_no_stamps() {
    assert!(unstamp("20260101T000000.000000Z").is_some());
    for bad in [
        "",
        "20260101T000000.000000z",
        "20260101t000000.000000Z",
        "20260101T000060.000000Z",
        "20260101T240000.000000Z",
        "20261301T000000.000000Z",
        "20260230T000000.000000Z",
        "20260101T000000.00000Z",
        "20260101T000000,000000Z",
        "20260101T000000.0000000Z",
        "2026-101T000000.000000Z",
        "-0260101T000000.000000Z",
        "20260101T000000.00000 Z",
        "20260101T000000+000000Z",
        "\u{fc}\u{fc}\u{fc}\u{fc}T000000.000000Z",
        "20260101T0000\u{fc}.000000Z",
    ] {
        assert_eq!(unstamp(bad), None, "{bad:?}");
    }
}

#[test]
fn a_day_of_the_feed_is_eight_digits() {
    assert!(feed_day(Some("20260101")).is_ok());
    for bad in ["", "2026", "2026-01-", "202601011", "2026010x", "../../.."] {
        assert!(feed_day(Some(bad)).is_err(), "{bad}");
    }
}

proptest! {
    #[test]
    fn stamps_sort_as_instants_and_lose_less_than_a_microsecond(a in instants(), b in instants()) {
        let (left, right) = (stamp(a), stamp(b));
        if a <= b { prop_assert!(left <= right); } else { prop_assert!(left >= right); }
        let back = unstamp(&left).unwrap();
        let lost = a.duration_since(back);
        prop_assert!(lost >= SignedDuration::ZERO && lost < SignedDuration::from_micros(1));
    }

    #[test]
    fn any_text_is_a_stamp_or_not_without_a_panic(text in ".{23}", other: String) {
        let _ = (unstamp(&text), unstamp(&other));
    }
}
