//! Records that cannot be used.

/// A record that cannot be used. It is reported and acknowledged: redelivery would not help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("malformed record{}: {why}", .id.as_ref().map(|id| format!(" {id}")).unwrap_or_default())]
pub struct Malformed {
    /// The id of the SQS message, if it is one.
    pub id: Option<String>,
    /// The reason.
    pub why: String,
}

impl Malformed {
    /// A malformed record, for this reason.
    pub fn new(why: impl Into<String>) -> Self {
        let why = why.into();
        Self { id: None, why }
    }
}
