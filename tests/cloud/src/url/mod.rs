//! Function URLs: an HTTP request becomes an event of payload 2.0, and its response an answer.

mod answer;
mod event;
mod serve;

pub use serve::{Auth, FunctionUrl};
