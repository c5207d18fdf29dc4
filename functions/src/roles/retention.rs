//! The retention's role.

use millpond::client::{Engine, Notice, Retained, Retention, RetentionError, RetentionSettings};

/// Archives and expires what is old enough, until nothing is left to do or until `stop`, which is
/// to be set some seconds before a deadline: what is under way is brought to its end, and the
/// next call goes on. Safe twice at once.
///
/// # Errors
/// [`RetentionError`]: a setting is no good, or the store failed; the next call goes on.
pub async fn retention(
    engine: &Engine,
    settings: &RetentionSettings,
    stop: &Notice,
) -> Result<Retained, RetentionError> {
    let retention = Retention::new(engine, settings.clone())?;
    retention.passes(stop).await
}
