//! A bucket whose load is limited to what the store serves.
//!
//! An overloaded store replies 503 `SlowDown` to any request. The caller retries; if the store
//! meanwhile serves reads but not a renewal, a lease is lost in favour of a poll. Therefore
//! requests wait here, and commits and renewals overtake the others:
//!
//! - **T1** At most [`Limits::under_way`] requests are in flight. Of the waiting ones, the one
//!   with the earliest *deadline* is sent first: its arrival, plus a grace of 2 s unless it is a
//!   commit or a renewal. So these overtake everything that arrived less than the grace before, and
//!   no request waits behind more than what arrives within its grace.
//! - **T2** Each partition of the keys ([`partition`](millpond::keys::partition)) has a pace of
//!   its own after its first `SlowDown`: halved by each refusal of a request that was sent at that
//!   pace, raised by each success, dropped after a minute without refusals. Other partitions are
//!   unaffected.
//! - **T3** The delay that the store asks for (`Retry-After`, a minute at most) applies to the
//!   whole partition.
//! - **T4** No request waits here longer than [`Limits::patience`]: the reply is then
//!   `Throttled`, the request was not sent, and the engine decides.

mod bucket;
mod limits;
mod pace;
#[cfg(test)]
mod tests;
mod wait_queue;

pub use bucket::Throttled;
pub use limits::{Limits, Standing};
