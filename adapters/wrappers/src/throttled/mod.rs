//! A bucket that is asked for no more than it serves.
//!
//! A store that is asked for too much answers 503 `SlowDown`, whatever the request is. Its caller
//! tries again; if meanwhile reads are served and a renewal is not, a lease is lost to a look. So
//! requests wait here, and commits and renewals pass the others:
//!
//! - **T1** At most [`Limits::under_way`] requests are under way. Among those that wait the one with
//!   the earliest *deadline* is sent first: the instant it came, plus a grace of 2 s unless it is a
//!   commit or a renewal. So these pass everything that came less than the grace before, and no
//!   request waits behind more than what comes within its grace.
//! - **T2** Each partition of the keys ([`partition`](millpond::keys::partition)) has a pace of
//!   its own after its first `SlowDown`: halved by each refusal of a request that was sent at that
//!   pace, raised by each success, dropped after a calm minute. Other partitions go on.
//! - **T3** What the store asks to wait (`Retry-After`, a minute at most) is kept to by the
//!   whole partition.
//! - **T4** No request waits here longer than [`Limits::patience`]: the answer is then
//!   `Throttled`, the request was not sent, and the engine decides.

mod bucket;
mod limits;
mod pace;
#[cfg(test)]
mod tests;
mod wait_queue;

pub use bucket::Throttled;
pub use limits::{Limits, Standing};
