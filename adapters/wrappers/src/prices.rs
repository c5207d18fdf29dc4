//! The prices of requests, by store.

use millpond::ports::Verb;
use serde::Serialize;

use crate::{NanoDollars, Tally};

/// A store's price list for requests. All fields can be set: prices change, and differ by region
/// and contract. Storage, and traffic out of the region, are not included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Prices {
    /// The name of the store and its class.
    pub name: String,
    /// The date on which the prices were looked up (`YYYY-MM-DD`).
    pub dated: String,
    /// One read.
    pub read: NanoDollars,
    /// One create or replace.
    pub write: NanoDollars,
    /// One delete.
    pub delete: NanoDollars,
    /// One page of a list.
    pub list: NanoDollars,
    /// A gigabyte (2^30 bytes) written.
    pub upload: NanoDollars,
    /// A gigabyte (2^30 bytes) read.
    pub retrieval: NanoDollars,
}

impl Prices {
    fn free(name: &str, dated: &str) -> Self {
        let none = NanoDollars(0);
        Self {
            name: name.to_owned(),
            dated: dated.to_owned(),
            read: none,
            write: none,
            delete: none,
            list: none,
            upload: none,
            retrieval: none,
        }
    }

    /// S3 Standard, us-east-1.
    #[must_use]
    pub fn s3_standard() -> Self {
        // Source: "Amazon S3 pricing", aws.amazon.com/s3/pricing, "Requests & data retrievals":
        // $0.005 per 1,000 PUT, COPY, POST, LIST; $0.0004 per 1,000 GET; DELETE free. The page
        // builds its tables in the browser: checked against other pages that quote it.
        Self {
            read: NanoDollars(400),
            write: NanoDollars(5_000),
            list: NanoDollars(5_000),
            ..Self::free("S3 Standard", "2026-11-29")
        }
    }

    /// S3 Express One Zone, us-east-1.
    #[must_use]
    pub fn s3_express() -> Self {
        // Source: "Amazon S3 FAQs", aws.amazon.com/s3/faqs, "S3 Express One Zone", the worked
        // example: $0.00113 per 1,000 PUT; $0.00003 per 1,000 GET; DELETE free; $0.0032 per GB
        // uploaded, $0.0006 per GB retrieved. NOT VERIFIED: that a list costs as much as a PUT, as
        // it does on Standard.
        Self {
            read: NanoDollars(30),
            write: NanoDollars(1_130),
            list: NanoDollars(1_130),
            upload: NanoDollars(3_200_000),
            retrieval: NanoDollars(600_000),
            ..Self::free("S3 Express", "2026-11-29")
        }
    }

    /// Google Cloud Storage, Standard in one region.
    #[must_use]
    pub fn gcs_standard() -> Self {
        // Source: "Pricing examples", cloud.google.com/storage/pricing-examples, us-east1:
        // $0.005 per 1,000 class A (inserts, lists), $0.0004 per 1,000 class B (gets); deletes
        // free.
        Self {
            read: NanoDollars(400),
            write: NanoDollars(5_000),
            list: NanoDollars(5_000),
            ..Self::free("GCS Standard", "2026-11-29")
        }
    }

    /// Azure Blob Storage: block blobs, hot, locally redundant, East US.
    #[must_use]
    pub fn azure_hot_lrs() -> Self {
        // Source: azure.microsoft.com/pricing/details/storage/blobs, which computes its figures in
        // the browser. NOT VERIFIED on 2026-11-29: $0.05 per 10,000 writes and lists, $0.004 per
        // 10,000 reads, deletes free. Set the fields if an invoice differs.
        Self {
            read: NanoDollars(400),
            write: NanoDollars(5_000),
            list: NanoDollars(5_000),
            ..Self::free("Azure Hot LRS (not verified)", "2026-11-29")
        }
    }

    /// The cost of the requests of one verb. Every request counts, including those that the store
    /// refused or throttled: an upper bound, since stores do not bill most of their own errors.
    #[must_use]
    pub fn of(&self, verb: Verb, tally: &Tally) -> NanoDollars {
        let each = match verb {
            Verb::Read => self.read,
            Verb::Create | Verb::Replace => self.write,
            Verb::Delete => self.delete,
            Verb::List => self.list,
        };
        let bytes = self.upload.for_bytes(tally.sent) + self.retrieval.for_bytes(tally.received);
        each.times(tally.requests) + bytes
    }
}
