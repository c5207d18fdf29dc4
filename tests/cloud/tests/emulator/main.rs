//! The emulator itself: real processes of the probe, in real time.
#![cfg(unix)]

mod instances;
mod stage;
