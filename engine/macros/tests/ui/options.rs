//! The options are unknown, doubled, or have no literal.

#![allow(unused_variables)]

use millpond::{Context, Failed, StepError};

#[millpond::workflow(nane = "pay", version = "2")]
async fn unknown(ctx: Context) -> Result<(), Failed> {
    Ok(())
}

#[millpond::step(version = "2")]
async fn not_of_steps() -> Result<(), StepError> {
    Ok(())
}

#[millpond::workflow(name = "a", version = "1", name = "b", version = "2")]
async fn doubled(ctx: Context) -> Result<(), Failed> {
    Ok(())
}

#[millpond::workflow(name)]
async fn no_value(ctx: Context) -> Result<(), Failed> {
    Ok(())
}

#[millpond::workflow(name =)]
async fn half_a_value(ctx: Context) -> Result<(), Failed> {
    Ok(())
}

#[millpond::workflow(version = 2)]
async fn number(ctx: Context) -> Result<(), Failed> {
    Ok(())
}

const NAME: &str = "name";

#[millpond::step(name = NAME)]
async fn constant() -> Result<(), StepError> {
    Ok(())
}

#[millpond::step(name("charge"))]
async fn parentheses() -> Result<(), StepError> {
    Ok(())
}

#[millpond::step("charge")]
async fn no_key() -> Result<(), StepError> {
    Ok(())
}

#[millpond::workflow(name = "a" version = "2")]
async fn no_comma(ctx: Context) -> Result<(), Failed> {
    Ok(())
}

fn main() {
    let _ = NAME;
}
