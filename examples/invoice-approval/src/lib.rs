//! Invoice approval: a small complete application on Millpond.
//!
//! `workflow` is the durable part; `invoice`, `file` and `score` are plain code below it; `bank` is
//! an external system; `demo` runs all of it and kills a worker midway.

pub mod bank;
pub mod demo;
pub mod file;
pub mod invoice;
pub mod score;
pub mod workflow;

use millpond::client::App;

/// The application: the workflows that every process of it registers.
#[must_use]
pub fn app() -> App {
    App::new().register::<workflow::invoice_approval>()
}

/// The README's workflow compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
