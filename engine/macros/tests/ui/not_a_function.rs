//! The attribute is on another item.

#![allow(unused_variables)]

#[millpond::workflow]
struct Invoice {
    id: u64,
}

#[millpond::step]
const RATE: u8 = 1;

trait Billing {
    #[millpond::step]
    async fn bill() -> Result<(), millpond::StepError>;
}

fn main() {}
