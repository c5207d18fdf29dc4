//! The function is `unsafe` or `extern`.

#![allow(unused_variables)]

use millpond::{Context, Failed, StepError};

#[millpond::workflow]
async unsafe fn pay(ctx: Context) -> Result<(), Failed> {
    Ok(())
}

#[millpond::step]
async extern "C" fn charge(cents: u64) -> Result<(), StepError> {
    Ok(())
}

#[millpond::step]
const fn rate(cents: u64) -> Result<u64, StepError> {
    Ok(cents)
}

fn main() {}
