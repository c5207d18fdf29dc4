//! Google Cloud Storage and Azure Blob Storage as buckets, through the `object_store` crate.
//!
//! | what the store answers to a write | outcome |
//! |---|---|
//! | success, with a version | landed |
//! | 412; 409 `BlobAlreadyExists`; a replace: 404 of the object | refused |
//! | any other 409 | tried again here, then unavailable |
//! | time-out, broken connection, 408, 5xx after the request was sent | unknown |
//! | 429; 503 that says it is too many requests | throttled, with `Retry-After` |
//! | connection refused, no credentials to be had: never sent | unavailable |
//! | 401, 403 | denied |
//! | 404 of the bucket | gone |
//! | any other 4xx | invalid |
//!
//! Traps of the crate that are handled here: it answers `AlreadyExists` for 409 and 412 alike,
//! so the status is overheard on its way through the HTTP client; it repeats conditional
//! writes after server errors, so its retries are off; its lists take whole components as
//! prefix, so the paged lists are used; Azure's pages may come back empty, and its deletes are
//! batches. Its local files have no compare-and-swap, so they are not opened.

mod bucket;
mod heard;
mod list;
mod map;
mod open;

pub use bucket::ObjectStoreBucket;
pub use open::{OpenError, Place, PlaceError};
