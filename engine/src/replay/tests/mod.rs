//! Tests of replay. The runner stands in for a run: it appends, delivers, and runs step bodies in
//! place.

mod attempt;
mod cancel;
mod changed;
mod entries;
mod foreign;
mod frames;
mod make;
mod prefixes;
mod races;
mod retry;
mod runner;
