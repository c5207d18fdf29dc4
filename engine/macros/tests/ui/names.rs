//! Names and versions that the engine would refuse.

#![allow(unused_variables)]

use millpond::{Context, Failed, StepError};

#[millpond::workflow(name = "", version = "")]
async fn empty(ctx: Context) -> Result<(), Failed> {
    Ok(())
}

#[millpond::workflow(name = "pay/now", version = "1 beta")]
async fn odd(ctx: Context) -> Result<(), Failed> {
    Ok(())
}

#[millpond::workflow(name = "..")]
async fn dots(ctx: Context) -> Result<(), Failed> {
    Ok(())
}

#[millpond::workflow(version = "0123456789.0123456789.0123456789.0123456789.0123456789.0123456789")]
async fn long(ctx: Context) -> Result<(), Failed> {
    Ok(())
}

#[millpond::step(name = "shop.charge")]
async fn dotted() -> Result<(), StepError> {
    Ok(())
}

#[millpond::step]
async fn zahlung_prüfen() -> Result<(), StepError> {
    Ok(())
}

fn main() {}
