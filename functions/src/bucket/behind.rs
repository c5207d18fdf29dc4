//! What operators can ask of a store, beyond the port.

use std::sync::Arc;

use millpond_host::StoreTime;

/// The store itself, if it has more than the port.
#[derive(Debug, Clone, Default)]
pub(crate) enum Behind {
    /// It has not.
    #[default]
    Nothing,
    /// S3: a clock in its answers, permissions named as IAM actions, settings of the bucket.
    #[cfg(feature = "s3")]
    S3(Arc<millpond_s3::S3Bucket>),
}

/// How a store names permissions.
#[cfg_attr(
    not(feature = "s3"),
    expect(dead_code, reason = "this build opens no S3")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// IAM actions on S3.
    Iam,
    /// IAM actions on Express One Zone: there is only one.
    Express,
    /// Other stores have different names: the verb is used.
    Verbs,
}

impl Behind {
    /// How its permissions are named.
    pub(crate) fn names(&self) -> Names {
        match self {
            Self::Nothing => Names::Verbs,
            #[cfg(feature = "s3")]
            Self::S3(bucket) if bucket.is_express() => Names::Express,
            #[cfg(feature = "s3")]
            Self::S3(_) => Names::Iam,
        }
    }

    /// The bucket as an S3 client.
    #[cfg(feature = "lambda")]
    pub(crate) fn s3(&self) -> Option<Arc<millpond_s3::S3Bucket>> {
        match self {
            Self::Nothing => None,
            Self::S3(bucket) => Some(Arc::clone(bucket)),
        }
    }

    /// The store's clock, if its answers contain the time.
    pub(crate) fn time(&self) -> Option<&Arc<StoreTime>> {
        match self {
            Self::Nothing => None,
            #[cfg(feature = "s3")]
            Self::S3(bucket) => Some(bucket.time()),
        }
    }
}
