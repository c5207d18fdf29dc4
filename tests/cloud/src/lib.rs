//! The emulated cloud: what AWS does with a function, its events and its permissions, on this
//! machine, around the real binaries.
//!
//! - [`lambda`]: functions as processes behind a Runtime API.
//!
//! These are real processes, in real time.
#![cfg(unix)]
#![expect(clippy::doc_markdown, reason = "names of products")]

mod http;
pub mod lambda;

/// The account of everything in the emulated cloud: LocalStack's own.
pub const ACCOUNT: &str = "000000000000";
/// The region of everything in the emulated cloud.
pub const REGION: &str = "us-east-1";
