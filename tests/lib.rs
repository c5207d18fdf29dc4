//! Tests of the whole: `cargo test -p millpond-tests`.
