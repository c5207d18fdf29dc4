//! The door between a function and the services: it checks each request, and counts it.
//!
//! A function's `AWS_ENDPOINT_URL_S3` and `AWS_ENDPOINT_URL_SQS` are a proxy of its own, so
//! whose request it is needs no signature. What the function's policies do not allow is
//! answered 403 as AWS does, and noted; what they allow goes on to the server. As on S3, who may
//! not list a bucket is told 403, not 404, about a key that does not exist.

mod asked;
mod counts;
mod cut;
mod refuse;
mod serve;

pub use asked::Asked;
pub use counts::Counts;
pub use cut::Injection;
pub use serve::Proxy;
