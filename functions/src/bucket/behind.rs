//! What an operator can ask of a store beside the engine's port.

use std::sync::Arc;

use millpond_host::StoreTime;

/// The store itself, where there is more to it than the port.
#[derive(Debug, Clone, Default)]
pub(crate) enum Behind {
    /// There is not.
    #[default]
    Nothing,
    /// S3: a clock told by its answers, permissions called IAM actions, settings of the bucket.
    #[cfg(feature = "s3")]
    S3(Arc<millpond_s3::S3Bucket>),
}

/// How a store's permissions are called.
#[cfg_attr(
    not(feature = "s3"),
    expect(dead_code, reason = "this build opens no S3")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// IAM's actions on S3.
    Iam,
    /// Those of Express One Zone: there is one for everything.
    Express,
    /// As many ways as there are stores: by what is done.
    Verbs,
}

impl Behind {
    /// How its permissions are called.
    pub(crate) fn names(&self) -> Names {
        match self {
            Self::Nothing => Names::Verbs,
            #[cfg(feature = "s3")]
            Self::S3(bucket) if bucket.is_express() => Names::Express,
            #[cfg(feature = "s3")]
            Self::S3(_) => Names::Iam,
        }
    }

    /// The bucket as S3 knows it.
    #[cfg(feature = "lambda")]
    pub(crate) fn s3(&self) -> Option<Arc<millpond_s3::S3Bucket>> {
        match self {
            Self::Nothing => None,
            Self::S3(bucket) => Some(Arc::clone(bucket)),
        }
    }

    /// The store's clock, as its answers tell it.
    pub(crate) fn time(&self) -> Option<&Arc<StoreTime>> {
        match self {
            Self::Nothing => None,
            #[cfg(feature = "s3")]
            Self::S3(bucket) => Some(bucket.time()),
        }
    }
}
