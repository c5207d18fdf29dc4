//! Two attributes on one function.

#![allow(unused_variables)]

use millpond::{Context, Failed};

#[millpond::workflow]
#[millpond::step]
async fn pay(ctx: Context) -> Result<(), Failed> {
    Ok(())
}

fn main() {}
