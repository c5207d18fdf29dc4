//! The function is generic, has lifetimes, or takes `impl Trait`.

#![allow(unused_variables)]

use millpond::{Context, Failed, StepError};

#[millpond::workflow]
async fn typed<T>(ctx: Context, value: T) -> Result<(), Failed> {
    Ok(())
}

#[millpond::workflow]
async fn sized<const N: usize>(ctx: Context, value: [u8; N]) -> Result<(), Failed> {
    Ok(())
}

#[millpond::step]
async fn lives<'a>(value: std::borrow::Cow<'a, str>) -> Result<(), StepError> {
    Ok(())
}

#[millpond::step]
async fn elided(value: std::borrow::Cow<'_, str>) -> Result<(), StepError> {
    Ok(())
}

#[millpond::step]
async fn unnamed(value: impl Into<String>) -> Result<(), StepError> {
    Ok(())
}

fn main() {}
