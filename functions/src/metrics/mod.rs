//! The metrics of a worker for Prometheus, and its health, over HTTP (docs/operations.md, Metrics).
//!
//! Everything is counted anyway, so a scrape costs no request to the bucket.

mod collect;
mod seen;
mod serve;
#[cfg(test)]
mod tests;

pub(crate) use collect::Meters;
pub(crate) use seen::Seen;
pub(crate) use serve::{MetricsError, MetricsServer};
