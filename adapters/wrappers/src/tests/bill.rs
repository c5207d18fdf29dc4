//! Exact arithmetic on bills.

use std::sync::Arc;

use bytes::Bytes;
use futures::executor::block_on;
use millpond::keys::Prefix;
use millpond::ports::{Bucket, Expect, Verb};

use super::{key, store};
use crate::{Bill, Metered, NanoDollars, Prices, Tally, Usage};

fn usage(verb: Verb, tally: Tally) -> Usage {
    let mut usage = Usage::default();
    usage.0[verb as usize][0] = tally;
    usage
}

fn thousand() -> Tally {
    Tally {
        requests: 1_000,
        ..Tally::default()
    }
}

#[test]
fn a_thousand_requests_cost_what_the_price_lists_state() {
    for (prices, write, read) in [
        (Prices::s3_standard(), 5_000_000, 400_000),
        (Prices::s3_express(), 1_130_000, 30_000),
        (Prices::gcs_standard(), 5_000_000, 400_000),
        (Prices::azure_hot_lrs(), 5_000_000, 400_000),
    ] {
        let of = |verb| Bill::new(&usage(verb, thousand()), vec![prices.clone()]).costs;
        assert_eq!(of(Verb::Create), [NanoDollars(write)], "{}", prices.name);
        assert_eq!(of(Verb::Replace), [NanoDollars(write)]);
        assert_eq!(of(Verb::List), [NanoDollars(write)]);
        assert_eq!(of(Verb::Read), [NanoDollars(read)]);
        assert_eq!(of(Verb::Delete), [NanoDollars(0)]);
    }
}

#[test]
fn express_charges_each_gigabyte_of_two_to_the_thirtieth_and_rounds_up() {
    let moved = |sent, received| {
        let tally = Tally {
            sent,
            received,
            ..Tally::default()
        };
        Prices::s3_express().of(Verb::Read, &tally)
    };
    assert_eq!(moved(1 << 30, 0), NanoDollars(3_200_000));
    assert_eq!(moved(0, 1 << 30), NanoDollars(600_000));
    assert_eq!(moved(1, 1), NanoDollars(2));
    // The worked example of the source: 1,000,000 writes of 10 KB.
    assert_eq!(moved(1_000_000 * 10_240, 0), NanoDollars(30_517_579));
}

#[test]
fn a_bill_is_requests_times_price_line_by_line() {
    let (faults, _) = store();
    let metered = Metered::new(faults as Arc<dyn Bucket>);
    let body = Bytes::from_static(b"body");
    for name in ["a", "b", "a"] {
        let _ = block_on(metered.write(&key(name), body.clone(), Expect::Absent)).unwrap();
    }
    block_on(metered.read(&key("a"))).unwrap();
    block_on(metered.list(&Prefix::all(), None, 10)).unwrap();
    block_on(metered.delete(&key("a"))).unwrap();
    let lists = vec![Prices::s3_standard(), Prices::s3_express()];
    let bill = Bill::new(&metered.usage(), lists);
    // Standard: 3 writes and a list at 5,000, a read at 400. Express: 4 at 1,130, a read at
    // 30, and 12 bytes up (0.04 nano-dollars), 4 down, each rounded up.
    assert_eq!(bill.costs, [NanoDollars(20_400), NanoDollars(4_552)]);
    assert_eq!(
        bill.costs[1],
        bill.lines.iter().map(|line| line.costs[1]).sum()
    );
    let text = bill.to_string();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        rows[2],
        [
            "create",
            "other",
            "3",
            "12",
            "0",
            "1",
            "0",
            "$0.000015000",
            "$0.000003391"
        ]
    );
    assert_eq!(
        rows.last().unwrap()[..],
        [
            "total",
            "6",
            "12",
            "4",
            "1",
            "0",
            "$0.000020400",
            "$0.000004552"
        ]
    );
    let json = serde_json::to_value(&bill).unwrap();
    assert_eq!(json["costs"], serde_json::json!([20_400, 4_552]));
}

#[test]
fn prices_can_be_set() {
    let prices = Prices {
        read: NanoDollars(1_500_000_000),
        ..Prices::s3_standard()
    };
    let cost = prices.of(Verb::Read, &thousand());
    assert_eq!(cost.to_string(), "$1500.000000000");
}
