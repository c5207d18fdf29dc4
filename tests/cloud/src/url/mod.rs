//! Function URLs: an HTTP request becomes an event of payload 2.0, and the function's response an
//! HTTP response.

mod answer;
mod event;
mod serve;

pub use serve::{Auth, FunctionUrl};
