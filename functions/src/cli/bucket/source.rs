//! Which view of the bucket is read.

use std::sync::Arc;

use millpond::ports::Bucket;

use super::super::context::CommandContext;

/// The bucket as the engine reads it, through the codec; `raw`: as it is stored.
pub(super) fn source(context: &CommandContext, raw: bool) -> &Arc<dyn Bucket> {
    match raw {
        true => &context.store,
        false => &context.engine.ports().bucket,
    }
}
