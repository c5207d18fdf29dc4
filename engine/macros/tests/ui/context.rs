//! The context is missing, misplaced, borrowed, doubled, or in a step.

#![allow(unused_variables)]

use millpond::{Context, Failed, StepError};

#[millpond::workflow]
async fn missing() -> Result<(), Failed> {
    Ok(())
}

#[millpond::workflow]
async fn forgotten(cents: u64) -> Result<(), Failed> {
    Ok(())
}

#[millpond::workflow]
async fn misplaced(cents: u64, ctx: Context) -> Result<(), Failed> {
    Ok(())
}

#[millpond::workflow]
async fn borrowed(ctx: &Context, cents: u64) -> Result<(), Failed> {
    Ok(())
}

#[millpond::workflow]
async fn doubled(ctx: Context, again: Context) -> Result<(), Failed> {
    Ok(())
}

#[millpond::step]
async fn charge(ctx: Context) -> Result<(), StepError> {
    Ok(())
}

fn main() {}
