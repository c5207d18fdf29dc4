//! All errors of one function are reported at once, and its callers still compile.

#![allow(unused_variables)]

use millpond::Failed;

#[millpond::workflow(name = "")]
fn pay(cents: &u64) -> Option<u64> {
    Some(*cents)
}

fn main() {
    let _: Option<u64> = pay(&1);
    let _: Option<Failed> = None;
}
