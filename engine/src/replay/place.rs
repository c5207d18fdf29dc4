//! Where a frame belongs.

use crate::domain::{FrameId, FrameName};

#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The frame or scope above it.
    pub(crate) parent: FrameId,
    pub(crate) name: FrameName,
    /// Distinguishes it from siblings of the same name, which are counted otherwise.
    pub(crate) key: Option<FrameName>,
    /// Whether cancellation leaves it alone.
    pub(crate) shielded: bool,
}
