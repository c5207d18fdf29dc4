//! Tests of replay.
