//! There is no `Result`, or not its type of success.

#![allow(unused_variables)]

use millpond::{Context, Failed, StepError};

#[millpond::workflow]
async fn nothing(ctx: Context) {}

#[millpond::workflow]
async fn optional(ctx: Context) -> Option<u8> {
    None
}

type Outcome = Result<(), StepError>;

#[millpond::step]
async fn alias() -> Outcome {
    Ok(())
}

#[millpond::step]
async fn empty() {}

#[millpond::step]
async fn unnamed() -> Result<impl Clone, StepError> {
    Ok(())
}

fn main() {
    let _: Option<Failed> = None;
}
