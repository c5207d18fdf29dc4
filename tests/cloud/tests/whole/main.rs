//! The application on the emulated cloud: scenes in their short form, and cases.
#![cfg(unix)]

mod cases;
mod chains;
mod cuts;
mod deadlines;
mod early;
mod events;
mod hand;
mod leases;
mod parked;
mod retention;
mod scenes;
mod values;
