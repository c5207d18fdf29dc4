//! The proxy between a function and the services: it checks each request, and counts it.
//!
//! A function's `AWS_ENDPOINT_URL_S3` and `AWS_ENDPOINT_URL_SQS` are a proxy of its own, so
//! requests are attributed to it without a signature. A request that the function's policies do not
//! allow receives 403, as on AWS, and is recorded; an allowed one is forwarded to the server. As on
//! S3, a caller without permission to list a bucket receives 403, not 404, for a key that does not
//! exist.

mod asked;
mod counts;
mod cut;
mod refuse;
mod serve;

pub use asked::Asked;
pub use counts::Counts;
pub use cut::Injection;
pub use serve::Proxy;
