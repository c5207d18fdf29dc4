//! The frontier of a superstep: what arrives, what waits, what loses.
//!
//! Everything here is a pure function of the shape of a graph and of the frontier. The order of
//! a frontier is (node, superstep, rank); the order in which work ends never matters.
//!
//! - **F1** A frontier that is not empty has a ready activation. Without void waits, two joins of
//!   one loop would wait for each other forever; see [`deferred`].
//! - **F2** A loser leaves the frontier before its work begins.

mod activation;
mod arrivals;
mod forward;
mod losers;
#[cfg(test)]
mod tests;
mod topology;
mod waits;

pub use activation::{Activation, ActivationId, Visits};
pub use arrivals::{Taken, entries, route};
pub use losers::without_losers;
pub use topology::{Join, Topology, UnknownNode};
pub use waits::deferred;
