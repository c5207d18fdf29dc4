//! The commands, as people and scripts meet them: processes over a folder.

mod doctor;
mod exits;
mod look;
mod serve;
mod signals;
mod store;
mod tell;
mod world;
