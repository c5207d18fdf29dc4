//! The items that a workflow needs: `use millpond::prelude::*`.

pub use std::time::Duration;

pub use futures::future::{join_all, try_join_all};
pub use futures::stream::{FuturesUnordered, StreamExt};
pub use futures::{join, try_join};
pub use jiff::Timestamp;
pub use uuid::Uuid;

pub use crate::domain::{ExecutionId, OnClose};
pub use crate::sdk::{
    Attempt, Context, Failed, FrameError, NamedStep, Retry, State, StepError, Workflow,
};
pub use crate::select;
