//! A bucket that is asked for no more than it serves.
//!
//! A store that is asked for too much sends requests away (503 `SlowDown`), whichever they
//! are. Whoever asked tries again, and if a list is served where a renewal was sent away, an
//! ownership is lost over a look for work. So requests wait here, and the order is ours:
//!
//! - **T1** At most [`Limits::under_way`] requests are under way. Among those that wait the
//!   one with the earliest *turn* is sent first: the instant it came plus the grace of its
//!   rank. Commits and renewals have none; so they pass everything that came less than a
//!   grace before, and nothing waits behind more than what comes within its grace.
//! - **T2** Each partition of the keys ([`partition`](millpond::keys::partition)) has a pace of
//!   its own once it was told to slow down: halved by each refusal of a request that was sent
//!   at that pace, raised by each success, dropped after a calm minute. Others go on.
//! - **T3** What the store asks to wait (`Retry-After`, a minute at most) is kept to by the
//!   whole partition.
//! - **T4** Nobody waits here longer than [`Limits::patience`]: the answer is then
//!   `Throttled`, the request was not sent, and the engine decides.

mod bucket;
mod limits;
mod line;
mod pace;
mod rank;
#[cfg(test)]
mod tests;

pub use bucket::Throttled;
pub use limits::{Limits, Standing};
pub use rank::Rank;
