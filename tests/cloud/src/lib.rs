//! The emulated cloud: AWS's handling of a function, its events and its permissions, on this
//! machine, around the real binaries and over LocalStack's S3 and SQS.
//!
//! - [`lambda`]: functions as processes behind a Runtime API.
//! - [`queue`]: queues, and the mappings that deliver their messages to functions.
//! - [`schedule`] and [`url`]: ticks and HTTP requests as events.
//! - [`policy`] and [`proxy`]: a function's permissions on S3 and SQS, checked for each request.
//! - [`stack`]: all of it together, deployed from the expanded template of `infra/`.
//! - [`scene`]: the deployed application, and its external clients.
//!
//! These are real processes and real servers, in real time.
#![cfg(unix)]
#![expect(clippy::doc_markdown, reason = "names of products")]

pub mod aws;
mod http;
pub mod lambda;
pub mod policy;
pub mod proxy;
pub mod queue;
pub mod scene;
pub mod schedule;
pub mod stack;
pub mod url;

/// The account of everything in the emulated cloud: LocalStack's own.
pub const ACCOUNT: &str = "000000000000";
/// The region of everything in the emulated cloud.
pub const REGION: &str = "us-east-1";
