//! Real S3 servers for the tests: LocalStack and SeaweedFS, by `localstack/server`.
//!
//! `scripts/test` starts one of each for all tests and passes their addresses; without it, a test
//! starts its own server, which ends with the test. If a server cannot be started, the test fails:
//! none is ever skipped.
#![expect(clippy::doc_markdown, reason = "names of products")]

mod own;
mod server;
mod settings;

pub use server::{Place, Server};
