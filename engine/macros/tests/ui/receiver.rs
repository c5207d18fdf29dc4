//! The function is a method.

#![allow(unused_variables)]

use millpond::{Failed, StepError};

struct Shop;

impl Shop {
    #[millpond::workflow]
    async fn pay(&self) -> Result<(), Failed> {
        Ok(())
    }

    #[millpond::step]
    async fn charge(self, cents: u64) -> Result<(), StepError> {
        Ok(())
    }
}

fn main() {}
