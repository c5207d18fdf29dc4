#![expect(
    clippy::needless_pass_by_value,
    reason = "a test writes values in place"
)]

mod activities;
mod basics;
mod cuts;
mod example;
mod families;
mod people;
mod reference;
mod stops;
mod world;
