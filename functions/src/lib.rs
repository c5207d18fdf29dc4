//! The binary of an application, with every role and every command.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use millpond::prelude::*;
//! use millpond_functions::App;
//!
//! #[millpond::workflow]
//! async fn greet(_ctx: Context, name: String) -> Result<String, Failed> {
//!     Ok(format!("hello, {name}"))
//! }
//!
//! fn main() -> ExitCode {
//!     millpond_functions::main(App::new().register::<greet>())
//! }
//! ```

mod assembly;
mod bucket;
mod cli;
mod connect;
mod doorbell;
mod entry;
mod environment;
pub mod events;
mod host;
mod instant;
#[cfg(feature = "lambda")]
mod lambda;
mod metrics;
pub mod roles;
mod telemetry;
pub mod triggers;

pub use cli::{Exit, Streams};
pub use connect::{Connect, ConnectError, connect};
pub use entry::{main, main_with, run};
pub use environment::{Environment, EnvironmentError};
pub use millpond::client::App;
