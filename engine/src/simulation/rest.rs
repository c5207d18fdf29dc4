//! Whether all processes have done what there is to do.

use std::collections::BTreeMap;

use futures::FutureExt as _;

use super::oracle::Broken;
use super::scheduler::Scheduler;
use crate::ExecutionId;
use crate::domain::Status;
use crate::journal::Head;
use crate::keys::{MailKey, Prefix};
use crate::ports::Bucket as _;

impl Scheduler {
    /// No mail that an execution takes, no timer, no lease.
    pub(super) fn is_at_rest(&self) -> Result<bool, Broken> {
        if self.holds("timers/") {
            return Ok(false);
        }
        let mut heads = BTreeMap::new();
        for (key, body) in self.gate.memory.snapshot() {
            let eid = key.as_str().split('/').nth(2).map(ExecutionId::parse);
            if let Some(Ok(eid)) = eid.filter(|_| key.as_str().ends_with("/head")) {
                let head = Head::decode(&key, &eid, &body)
                    .map_err(|error| Broken::new("I2", error.to_string()))?;
                let moves = matches!(head.status, Status::Pending | Status::Running);
                if head.lease.is_some() || moves {
                    return Ok(false);
                }
                heads.insert(eid, head);
            }
        }
        let rows = self.gate.memory.snapshot();
        let mut mail = rows.iter().filter_map(|(key, _)| MailKey::parse(key));
        let taken = mail.any(|mail| {
            let head = heads.get(&mail.eid);
            head.is_none_or(|head| head.takes(&mail.mid, self.plan.max_unread))
        });
        Ok(!taken)
    }

    fn holds(&self, prefix: &str) -> bool {
        let prefix = Prefix::parse(prefix).expect("a constant of the key layout");
        let list = self.gate.memory.list(&prefix, None, 1);
        let page = list.now_or_never().and_then(Result::ok);
        page.is_some_and(|page| !page.entries.is_empty())
    }
}
