//! The channels are invalid, doubled, or have no type.

#![allow(unused_variables)]

use millpond::{Context, Failed, StepError};

#[millpond::workflow(channels(Payment: u64, ok: (), ok: u8))]
async fn names(ctx: Context) -> Result<(), Failed> {
    Ok(())
}

#[millpond::workflow(channels(ok: ()), channels(more: ()))]
async fn twice(ctx: Context) -> Result<(), Failed> {
    Ok(())
}

#[millpond::workflow(channels(payment))]
async fn no_type(ctx: Context) -> Result<(), Failed> {
    Ok(())
}

#[millpond::step(channels(payment: u64))]
async fn of_a_step() -> Result<(), StepError> {
    Ok(())
}

fn main() {}
