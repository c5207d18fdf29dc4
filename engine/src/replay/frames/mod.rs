//! The kinds of frames, one file for each. A file holds what the workflow asks for (`Plan`), the
//! registered frame with the entries that fit it ([`Frame`]), and how its entries are described
//! and shown without a program (`READER`).

mod frame;
mod kind;

pub(crate) mod announce;
pub(crate) mod child;
pub(crate) mod receive;
pub(in crate::replay) mod recorded;
pub(crate) mod send;
pub(crate) mod sleep;
pub(crate) mod step;

pub(crate) use frame::{Accepted, Frame, Inbox, Outcome, Plan, Site};
pub use kind::FrameKind;
pub(super) use kind::{Described, READERS};
