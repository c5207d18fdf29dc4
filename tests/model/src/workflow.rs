//! Replay: the position of a workflow, as a function of its journal.

use crate::state::{CHILD, Head, PARENT, effect, mid};
use crate::{Op, Protocol, Run};

impl Protocol {
    /// The current operation of an execution; `None` at its end. The child has none.
    pub(crate) fn at(&self, exec: usize, head: &Head) -> Option<Op> {
        let ops = if exec == CHILD {
            &[]
        } else {
            self.scenario.ops
        };
        ops.get(usize::from(head.progress.position)).copied()
    }

    /// Drives the workflow until it needs a step, waits, or ends.
    pub(crate) fn drive(&self, run: &mut Run) {
        while let Some(op) = self.at(run.exec, &run.next) {
            let head = &mut run.next;
            match op {
                Op::Step => return,
                Op::Spawn => run.decided |= effect::CHILD,
                Op::Wait {
                    message,
                    timer,
                    result,
                } => {
                    let came = (head.mids & mid::BOTH).count_ones();
                    if message && came > u32::from(head.progress.taken) {
                        head.progress.taken += 1;
                    } else if !(result && head.mids & mid::RESULT != 0 || timer && run.due) {
                        return;
                    }
                }
            }
            head.progress.position += 1;
        }
    }

    /// Whether the next commit is the last of this run.
    pub(crate) fn is_final(&self, run: &Run) -> bool {
        let begins = matches!(self.at(run.exec, &run.next), Some(Op::Step)) && !run.paused;
        !run.live && !begins
    }

    /// Whether an execution waits for the deadline.
    pub(crate) fn waits_for_time(&self, run: &Run) -> bool {
        let at = self.at(run.exec, &run.next);
        let waits = matches!(at, Some(Op::Wait { timer: true, .. })) && !run.paused;
        run.exec == PARENT && waits
    }
}
