//! Several parameters, and some have no name.

#![allow(unused_variables)]

use millpond::{Context, Failed, StepError};

#[millpond::workflow]
async fn pay(ctx: Context, (a, b): (u8, u8), _: u8) -> Result<(), Failed> {
    Ok(())
}

#[millpond::step]
async fn charge([a, b]: [u8; 2], cents: u64) -> Result<(), StepError> {
    Ok(())
}

fn main() {}
