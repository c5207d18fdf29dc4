//! Exit codes.

use std::process::ExitCode;

use millpond::domain::Status;

/// How a command ended, for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Exit {
    /// 0: success.
    Done,
    /// 1: the execution failed, or there are findings.
    Failed,
    /// 2: the command line, a value or the environment is invalid.
    Usage,
    /// 3: there is no such execution, workflow or version.
    NotFound,
    /// 4: the state of the execution does not allow the request.
    Conflict,
    /// 5: the execution did not end in the given time.
    NotYet,
    /// 6: the store failed, or an object in it is damaged.
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

    /// The name in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The exit code of a command that waited for the end of an execution.
    pub(crate) fn of(status: Status) -> Self {
        match status {
            // The archive contains the outcome: callers that wait read it.
            Status::Completed | Status::Archived => Self::Done,
            Status::Failed => Self::Failed,
            Status::Cancelled | Status::Terminated => Self::Cancelled,
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
