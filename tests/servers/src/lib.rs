//! Real S3 servers for the tests: LocalStack and SeaweedFS, by `localstack/server`.
//!
//! `scripts/test` starts one of each for all tests and says where they are; where it has not, a
//! test starts its own, which ends with it. A server that cannot be started fails the test: none
//! is ever skipped.
#![expect(clippy::doc_markdown, reason = "names of products")]

mod own;
mod server;
mod settings;

pub use server::{Place, Server};
