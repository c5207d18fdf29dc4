//! A seeded simulation of several processes over one bucket, and the oracle that judges it.
//!
//! The same seed makes the same run; a [`Breach`] reports its seed, the violated invariant and the
//! last requests, and [`Simulation::shrink`] reduces it.
//!
//! ```
//! use millpond_simulation::Simulation;
//!
//! assert!(Simulation::new(7).run().is_ok());
//! ```
//!
//! The code is the `simulation` feature of the crate `millpond`, which only this crate enables.

pub use millpond::simulation::{
    Act, ActVerb, Breach, Faults, Part, Plan, Program, Report, Simulation, Work,
};
