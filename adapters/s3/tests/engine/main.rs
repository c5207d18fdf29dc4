//! The engine on a real S3 server, with real tasks and real time: what its own tests cannot show,
//! though each of their requests is also answered by LocalStack (`localstack/engine`). There one
//! request follows the other; here processes meet, vanish in the middle of a request, and go by
//! the store's clock.
#![expect(clippy::doc_markdown, reason = "names of products")]

mod leases;
mod ledger;
mod many;
mod stage;
mod waits;
