//! A value is borrowed.

#![allow(unused_variables)]

use std::path::Path;

use millpond::{Context, Failed, StepError};

#[millpond::workflow]
async fn pay(ctx: Context, id: &str, rows: Option<&[u8]>) -> Result<&'static str, Failed> {
    Ok("")
}

#[millpond::step]
async fn charge(file: &Path, cents: &mut u64) -> Result<(), StepError> {
    Ok(())
}

fn main() {}
