//! The memory for the lines of objects.

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::triggers::Budget;

/// Bytes of one permit.
const UNIT: usize = 1 << 10;

/// The memory for the lines of all objects that are handled at the same time.
#[derive(Debug)]
pub(super) struct Memory {
    budget: Budget,
    free: Semaphore,
    permits: u32,
}

impl Default for Memory {
    fn default() -> Self {
        Self::of(Budget::NONE)
    }
}

impl Memory {
    pub(super) fn new(bytes: usize) -> Self {
        Self::of(Budget(bytes))
    }

    fn of(budget: Budget) -> Self {
        let units = (budget.0 / UNIT).clamp(1, Semaphore::MAX_PERMITS);
        let permits = u32::try_from(units).unwrap_or(u32::MAX);
        Self {
            budget,
            free: Semaphore::new(permits as usize),
            permits,
        }
    }

    pub(super) fn budget(&self) -> Budget {
        self.budget
    }

    /// Waits until an object of this size fits beside the others, whatever it contains; until the permit is
    /// dropped. A larger one fits alone, and is refused only if its content exceeds the budget.
    pub(super) async fn for_object(&self, bytes: usize) -> SemaphorePermit<'_> {
        let units = self.budget.worst(bytes).div_ceil(UNIT);
        let units = u32::try_from(units)
            .unwrap_or(u32::MAX)
            .clamp(1, self.permits);
        let permit = self.free.acquire_many(units).await;
        permit.expect("it is never closed")
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn c15_objects_are_handled_at_the_same_time_as_far_as_they_fit() {
        let memory = Memory::new(100 << 20);
        let small = memory.for_object(1 << 20).now_or_never();
        let other = memory.for_object(1 << 20).now_or_never();
        assert!(small.is_some() && other.is_some());
        assert!(memory.for_object(16 << 20).now_or_never().is_none());
        drop((small, other));
        let large = memory.for_object(16 << 20).now_or_never();
        assert!(large.is_some());
        assert!(memory.for_object(1).now_or_never().is_none());
        let free = Memory::default();
        let all = [64 << 20; 100].map(|bytes| free.for_object(bytes).now_or_never());
        assert!(all.iter().all(Option::is_some));
    }
}
