//! Why a template cannot be deployed.

use crate::policy::PolicyError;

/// Why a template cannot be deployed.
#[derive(Debug, thiserror::Error)]
pub enum StackError {
    /// `infra/expand` failed, or printed no template.
    #[error("infra/expand failed: {why}")]
    Expand {
        /// What it said.
        why: String,
    },
    /// A kind of resource that the emulated cloud does not have.
    #[error("the emulated cloud has no such resources: resource={resource}, type={kind}")]
    Kind {
        /// The resource.
        resource: String,
        /// Its type.
        kind: String,
    },
    /// A reference to nothing, or to something of it that is not known.
    #[error("the template refers to what is not there: {0}")]
    Reference(String),
    /// An intrinsic function that `infra/expand` should have worked out.
    #[error("the template still holds an intrinsic function: {0}")]
    Intrinsic(String),
    /// A property that is not as it should be.
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
        /// Why.
        source: PolicyError,
    },
    /// No port can be listened on.
    #[error("no port can be listened on")]
    Port(#[from] std::io::Error),
}
