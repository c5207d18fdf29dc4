//! Tests of the values.
