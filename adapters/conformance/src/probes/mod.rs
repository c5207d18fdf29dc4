//! The checks of each probe, by topic.

pub(crate) mod basics;
pub(crate) mod listing;
pub(crate) mod names;
pub(crate) mod races;
