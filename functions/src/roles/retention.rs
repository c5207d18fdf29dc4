//! The retention's role.

use millpond::client::{Engine, Notice, Retained, Retention, RetentionError, RetentionSettings};

/// Archives what is old enough, and frees keys, until nothing is left to do or until `stop`. Set `stop` a few
/// seconds before a deadline: work in progress is finished, and the next call continues. Concurrent
/// calls are safe.
///
/// # Errors
/// [`RetentionError`]: a setting is invalid, or the store failed; the next call continues.
pub async fn retention(
    engine: &Engine,
    settings: &RetentionSettings,
    stop: &Notice,
) -> Result<Retained, RetentionError> {
    let retention = Retention::new(engine, settings.clone())?;
    retention.passes(stop).await
}
