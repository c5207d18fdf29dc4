//! Why a template cannot be deployed.

use crate::policy::PolicyError;

/// Why a template cannot be deployed.
#[derive(Debug, thiserror::Error)]
pub enum StackError {
    /// `infra/expand` failed, or printed no template.
    #[error("infra/expand failed: {why}")]
    Expand {
        /// Its error output.
        why: String,
    },
    /// A type of resource that the emulated cloud does not support.
    #[error("the emulated cloud has no such resources: resource={resource}, type={kind}")]
    Kind {
        /// The resource.
        resource: String,
        /// Its type.
        kind: String,
    },
    /// A reference to a missing resource, or to an unknown attribute.
    #[error("the template refers to what is not there: {0}")]
    Reference(String),
    /// An intrinsic function that `infra/expand` should have evaluated.
    #[error("the template still holds an intrinsic function: {0}")]
    Intrinsic(String),
    /// A malformed property.
    #[error("a property is malformed: resource={resource}, property={property}")]
    Property {
        /// The resource.
        resource: String,
        /// The property.
        property: &'static str,
    },
    /// A policy that cannot be evaluated.
    #[error("a policy cannot be evaluated: resource={resource}")]
    Policy {
        /// The resource.
        resource: String,
        /// The cause.
        source: PolicyError,
    },
    /// No port is available.
    #[error("no port can be listened on")]
    Port(#[from] std::io::Error),
}
