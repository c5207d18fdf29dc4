//! Why a JSON form was refused.

use super::MAX_FORM_DEPTH;

/// Why a JSON form of a program was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The bytes are not JSON.
    #[error("the program is not JSON: {message}; compile its source texts again")]
    NotJson {
        /// What is wrong, with line and column.
        message: String,
    },
    /// The form nests more deeply than that of any program.
    #[error("the form of the program nests too deeply; limit={MAX_FORM_DEPTH}")]
    TooDeep,
    /// The program has more declarations than a program may have.
    #[error("the program has too many declarations; split it: limit={limit}")]
    TooManyDeclarations {
        /// The most declarations.
        limit: usize,
    },
    /// A property is missing.
    #[error(
        "the form of the program is damaged: a property is missing; compile its source texts again: \
         path={path:?}, property={property:?}"
    )]
    Missing {
        /// The node, as a JSON pointer.
        path: String,
        /// The property.
        property: &'static str,
    },
    /// A value is not what the form has there.
    #[error(
        "the form of the program is damaged: expected {expected}, found {found}; compile its source \
         texts again: path={path:?}"
    )]
    Unexpected {
        /// The value, as a JSON pointer.
        path: String,
        /// What the form has there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A property is unknown to this version.
    #[error(
        "the form of the program has a property that this version does not support; use a newer \
         version, or compile the source texts with this one: path={path:?}, property={property:?}"
    )]
    UnknownProperty {
        /// The node, as a JSON pointer.
        path: String,
        /// The property.
        property: String,
    },
    /// A type of node is unknown to this version, or not allowed there.
    #[error(
        "the form of the program has a node that this version does not support there; use a newer \
         version, or compile the source texts with this one: path={path:?}, type={found:?}"
    )]
    UnknownType {
        /// The node, as a JSON pointer.
        path: String,
        /// The value of its `type`.
        found: String,
    },
    /// The program was stored by a newer version.
    #[error(
        "the program has a newer format; use a newer version: format={format}, supported={supported}"
    )]
    Newer {
        /// The format of the program.
        format: u64,
        /// The newest format that this version reads.
        supported: u64,
    },
}
