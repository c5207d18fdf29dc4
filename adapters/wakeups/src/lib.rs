//! Hints from whoever writes a cause to whoever runs executions. They are only hints (the bucket
//! decides), so what is lost, doubled or made up costs at most one look or one cheap run.
//!
//! - A doorbell between the processes of one machine: another process's signal is served as soon
//!   as one's own. Each process that works listens at a datagram socket in a folder beside the
//!   bucket; whoever writes a cause sends a hint to each socket there. Nothing is sent twice, nobody
//!   waits, and a socket that nobody listens at any more is removed by who finds it.
//! - Messages of Amazon SQS (feature `sqs`), for functions that a queue wakes.

#[cfg(unix)]
mod bell;
pub mod message;
#[cfg(unix)]
mod place;
#[cfg(feature = "sqs")]
pub mod sqs;
#[cfg(all(test, unix))]
mod tests;

#[cfg(unix)]
pub use bell::SocketDoorbell;
#[cfg(unix)]
pub use place::beside;
