//! The scenarios that are cut while a bug is planted.

use super::super::cuts::{Scenario, run, skip, start};
use super::super::findings::HOUR;
use crate::domain::Status::Completed;

/// Three steps at once.
pub(super) fn three() -> Scenario {
    Scenario::new(vec![start("three", 0), run()], ("three", Completed, "3"))
}

/// A sleep, then a step.
pub(super) fn nap() -> Scenario {
    let acts = vec![start("nap", 1), run(), skip(HOUR)];
    Scenario::new(acts, ("nap", Completed, "1"))
}

/// A child and its result.
pub(super) fn parent() -> Scenario {
    let acts = vec![start("parent", 1), run()];
    Scenario::new(acts, ("parent", Completed, "11")).executions(2)
}
