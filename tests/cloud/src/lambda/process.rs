//! Information about a process from the system, and signals to it.

use rustix::process::{Pid, Signal, kill_process};

/// Sends a signal; a signal to a process that has just exited is ignored.
pub(crate) fn signal(pid: Pid, signal: Signal) {
    let _ = kill_process(pid, signal);
}

/// Its peak resident memory, in kB.
pub(crate) fn peak_kb(pid: Pid) -> Option<u64> {
    status(pid, "VmHWM:")
}

/// Its current resident memory, in kB.
pub(crate) fn resident_kb(pid: Pid) -> Option<u64> {
    status(pid, "VmRSS:")
}

/// Whether it is stopped by a signal.
pub(crate) fn is_frozen(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    // The name before the state is in parentheses, and may contain any character.
    stat.is_ok_and(|stat| {
        stat.rsplit(')')
            .next()
            .is_some_and(|rest| rest.trim_start().starts_with('T'))
    })
}

fn status(pid: Pid, field: &str) -> Option<u64> {
    let path = format!("/proc/{}/status", pid.as_raw_nonzero());
    let status = std::fs::read_to_string(path).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}
