//! Durable workflows whose only server is a bucket: the engine.

extern crate self as millpond;

pub mod domain;
pub mod doors;
pub mod keys;
