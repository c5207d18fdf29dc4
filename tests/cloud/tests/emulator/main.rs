//! The emulator itself: real processes of the probe, a real server, in real time.
#![cfg(unix)]

mod instances;
mod policies;
mod proxies;
mod queues;
mod schedules;
mod stacks;
mod stage;
mod urls;
