//! Tests of the keys.

mod kinds;
mod layout;
mod rules;
mod stamps;

use jiff::Timestamp;
use proptest::prelude::*;
use uuid::Uuid;

use crate::domain::{ExecutionId, MessageId, Queue};

fn eids() -> impl Strategy<Value = ExecutionId> {
    any::<u128>().prop_map(|bits| ExecutionId::new(Uuid::from_u128(bits)))
}

fn queues() -> impl Strategy<Value = Queue> {
    "[a-z0-9._-]{1,128}".prop_filter_map("dots", |text| Queue::parse(&text).ok())
}

fn mids() -> impl Strategy<Value = MessageId> {
    "[0-2]\\.[A-Za-z0-9._-]{1,200}".prop_map(|text| MessageId::parse(&text).unwrap())
}

/// Any instant from the year 0 on, with nanoseconds.
fn instants() -> impl Strategy<Value = Timestamp> {
    let span = -62_167_219_200..=Timestamp::MAX.as_second();
    (span, 0..1_000_000_000)
        .prop_map(|(second, nano)| Timestamp::new(second, nano).unwrap_or(Timestamp::MAX))
}

fn at(text: &str) -> Timestamp {
    text.parse().expect("tests use good instants")
}
