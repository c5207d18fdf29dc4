//! A parameter is conditional.

#![allow(unused_variables)]

use millpond::{Context, Failed};

#[millpond::workflow]
async fn pay(
    ctx: Context,
    #[cfg(test)] cents: u64,
    #[cfg(not(test))] cents: u64,
) -> Result<(), Failed> {
    Ok(())
}

fn main() {}
