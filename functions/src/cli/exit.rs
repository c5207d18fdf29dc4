//! Exit codes.

use std::process::ExitCode;

use millpond::domain::Status;

/// How a command ended, for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: it did what was asked.
    Done,
    /// 1: the execution failed, or something was found wrong.
    Failed,
    /// 2: the command line, a value or the environment is no good.
    Usage,
    /// 3: there is no such execution, workflow or version.
    NotFound,
    /// 4: it is there, and does not allow this.
    Conflict,
    /// 5: not in the time given.
    NotYet,
    /// 6: the store, or an object in it, is in trouble.
    Storage,
    /// 7: the execution was cancelled or terminated.
    Cancelled,
    /// 130: a second interrupt ended it at once.
    Killed,
}

impl Exit {
    /// The number.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::Conflict => 4,
            Self::NotYet => 5,
            Self::Storage => 6,
            Self::Cancelled => 7,
            Self::Killed => 130,
        }
    }

    /// The word for it in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::NotFound => "not_found",
            Self::Conflict => "conflict",
            Self::NotYet => "not_yet",
            Self::Storage => "storage",
            Self::Cancelled => "cancelled",
            Self::Killed => "killed",
        }
    }

    /// How a command ends that waited for an execution's end.
    pub(crate) fn of(status: Status) -> Self {
        match status {
            // How what is archived ended stands in its archive: whoever waits asks that.
            Status::Completed | Status::Archived => Self::Done,
            Status::Failed => Self::Failed,
            Status::Cancelled => Self::Cancelled,
            Status::Pending
            | Status::Running
            | Status::Suspended
            | Status::Paused
            | Status::Blocked => Self::NotYet,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
