//! The engine on a real S3 server: what its own suites prove in memory with manual time, once
//! more over HTTP, with real tasks, and workers that vanish.
#![expect(clippy::doc_markdown, reason = "names of products")]

mod cases;
mod coded;
mod control;
mod history;
mod ledger;
mod many;
mod owners;
mod prices;
mod retention;
mod stage;
mod steps;
mod trees;
mod values;
mod waits;
mod window;
