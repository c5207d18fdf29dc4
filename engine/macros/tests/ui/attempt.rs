//! The attempt is not the first parameter.

#![allow(unused_variables)]

use millpond::{Attempt, StepError};

#[millpond::step]
async fn charge(cents: u64, attempt: Attempt) -> Result<(), StepError> {
    Ok(())
}

fn main() {}
