//! A process with all processes that it starts.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// A process that leads a group of its own. The group is killed when this value is dropped, unless
/// it was released.
#[derive(Debug)]
pub(super) struct Group {
    child: Child,
    /// The process id, until the group is released.
    id: Option<u32>,
}

/// The standard streams of a process.
#[derive(Debug)]
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Group {
    /// Starts a process. An interrupt of the terminal is for this command alone, which then ends the
    /// group itself.
    pub(super) fn spawn(mut command: Command) -> io::Result<Self> {
        #[cfg(unix)]
        command.process_group(0);
        let child = command.kill_on_drop(true).spawn()?;
        Ok(Self {
            id: child.id(),
            child,
        })
    }

    /// Its streams; an error if they are not pipes or were taken before.
    pub(super) fn pipes(&mut self) -> io::Result<Pipes> {
        let child = &mut self.child;
        match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok(Pipes {
                stdin,
                stdout,
                stderr,
            }),
            _ => Err(io::Error::other("the process has no pipes")),
        }
    }

    /// Waits until the process has exited.
    pub(super) async fn exited(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Waits until the process exited this long ago.
    pub(super) async fn exited_for(&mut self, time: Duration) -> io::Result<ExitStatus> {
        let status = self.child.wait().await;
        tokio::time::sleep(time).await;
        status
    }

    /// Kills all processes of the group.
    pub(super) fn kill(&self) {
        #[cfg(unix)]
        if let Some(id) = self.id.and_then(|id| i32::try_from(id).ok())
            && let Some(group) = rustix::process::Pid::from_raw(id)
        {
            // It may have ended by itself.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }

    /// Leaves alone what the process has started: it holds none of the streams.
    pub(super) fn release(mut self) {
        self.id = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
