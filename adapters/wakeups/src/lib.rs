//! Hints from writers of a cause to the processes that run executions. They are only hints (the
//! bucket decides), so a lost, duplicate or forged hint costs at most one check or one short run.
//!
//! - A doorbell between the processes of one machine: a signal of another process is served as
//!   fast as one of the same process. Each worker process listens at a datagram socket in a folder
//!   beside the bucket; the writer of a cause sends a hint to each socket there. No hint is resent,
//!   no sender waits, and a socket without a listener is removed by the process that detects it.
//! - Messages of Amazon SQS (feature `sqs`), for functions that a queue invokes.

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
