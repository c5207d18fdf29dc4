//! The table of the schemes of bucket URLs.
//!
//! A new scheme is one entry here and one file below `schemes/`, which implements [`Place`].
//! Errors, `--help` and the checks of a location follow from the entry.

use std::sync::Arc;

use url::Url;

use super::place::Place;
#[cfg(feature = "object-store")]
use super::schemes::cloud;
#[cfg(feature = "s3")]
use super::schemes::s3;
use super::schemes::{memory, sqlite};

#[derive(Debug)]
pub(super) struct Scheme {
    /// The part before the colon.
    pub(super) name: &'static str,
    /// An example, which errors and the help show.
    pub(super) example: &'static str,
    /// Which processes can share such a bucket.
    pub(super) shared: Shared,
    /// Parses a URL; or the Cargo feature that this build lacks.
    pub(super) parse: Result<Parse, &'static str>,
}

/// Parses a URL of one scheme, given as text and as a URL. The error is the reason.
pub(super) type Parse = fn(&str, &Url) -> Result<Arc<dyn Place>, String>;

/// Which processes can share a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shared {
    /// None: it is lost when its process ends.
    Nowhere,
    /// Those of one machine.
    Machine,
    /// Those of any machine: requests go over a network, to a store that may throttle them and bills
    /// them.
    Network,
}

/// All schemes, the default first.
pub(super) const SCHEMES: &[Scheme] = &[
    Scheme {
        name: "sqlite",
        example: "sqlite:./file.db",
        shared: Shared::Machine,
        parse: Ok(sqlite::parse),
    },
    Scheme {
        name: "s3",
        example: "s3://bucket/prefix",
        shared: Shared::Network,
        #[cfg(feature = "s3")]
        parse: Ok(s3::parse),
        #[cfg(not(feature = "s3"))]
        parse: Err("s3"),
    },
    Scheme {
        name: "gs",
        example: "gs://bucket/prefix",
        shared: Shared::Network,
        #[cfg(feature = "object-store")]
        parse: Ok(cloud::parse),
        #[cfg(not(feature = "object-store"))]
        parse: Err("object-store"),
    },
    Scheme {
        name: "az",
        example: "az://account/container/prefix",
        shared: Shared::Network,
        #[cfg(feature = "object-store")]
        parse: Ok(cloud::parse),
        #[cfg(not(feature = "object-store"))]
        parse: Err("object-store"),
    },
    Scheme {
        name: "memory",
        example: "memory:",
        shared: Shared::Nowhere,
        parse: Ok(memory::parse),
    },
];

/// The examples of all schemes that this build opens: `a`, `b` or `c`.
pub(crate) fn examples() -> String {
    let known = SCHEMES.iter().filter(|scheme| scheme.parse.is_ok());
    let known: Vec<_> = known
        .map(|scheme| format!("`{}`", scheme.example))
        .collect();
    match known.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => known.concat(),
    }
}
