//! What is asked, by subject.

pub(crate) mod basics;
pub(crate) mod listing;
pub(crate) mod names;
pub(crate) mod races;
