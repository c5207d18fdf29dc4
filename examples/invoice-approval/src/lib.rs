//! Invoice approval: a small complete application on Millpond.
//!
//! `workflow` is what runs durably; `invoice`, `file` and `score` are plain code under it;
//! `bank` is the world outside; `demo` runs all of it and kills it on the way.

pub mod bank;
pub mod demo;
pub mod file;
pub mod invoice;
pub mod score;
pub mod workflow;

use millpond::client::App;

/// The application: what every process of it knows.
#[must_use]
pub fn app() -> App {
    App::new().register::<workflow::invoice_approval>()
}

/// The README's workflow compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
