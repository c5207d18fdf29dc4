//! Google Cloud Storage and Azure Blob Storage as buckets, through the `object_store` crate.
//!
//! | reply of the store to a write | outcome |
//! |---|---|
//! | success, with a version | landed |
//! | 412; 409 `BlobAlreadyExists`; a replace: 404 of the object | refused |
//! | any other 409 | retried in the adapter, then unavailable |
//! | timeout, broken connection, 408, 5xx after the request was sent | unknown |
//! | 429; 503 with a code for too many requests | throttled, with `Retry-After` |
//! | connection refused, no credentials available: never sent | unavailable |
//! | 401, 403 | denied |
//! | 404 for the bucket | gone |
//! | any other 4xx | invalid |
//!
//! The adapter works around these properties of the crate: it returns `AlreadyExists` for both 409
//! and 412, so the status is recorded inside the HTTP client; it repeats conditional writes after
//! server errors, so its retries are disabled; its lists accept only whole components as a prefix,
//! so the paged lists are used; Azure's pages may be empty, and its deletes are batches. The
//! crate's local files have no compare-and-swap, so the adapter does not open them.

mod bucket;
mod list;
mod map;
mod open;
mod reply;

pub use bucket::ObjectStoreBucket;
pub use open::{OpenError, Place, PlaceError};
