//! The function is not async.

#![allow(unused_variables)]

use millpond::{Context, Failed, StepError};

#[millpond::workflow]
fn pay(ctx: Context) -> Result<(), Failed> {
    Ok(())
}

#[millpond::step]
fn charge(cents: u64) -> Result<(), StepError> {
    Ok(())
}

fn main() {}
