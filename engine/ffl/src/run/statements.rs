//! The statements of a block.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::cell::End;
use super::env::{Env, Steps};
use super::fault::{BlockFailure, Failures};
use super::instance::Instance;
use super::interpreter::Interpreter;
use super::schedule::{Next, Schedule};
use super::yields::{Yielded, Yields};
use super::{Fault, Place};
use crate::form::{Statements, Step};
use crate::program::References;

/// How a block ended: the yields that it gives to what contains it, or what failed in it.
pub(super) type BlockEnd<'r> = Result<Vec<Yielded<'r>>, BlockFailure>;

/// How a branch of a block ended: a statement, a case or an element.
pub(super) type BranchEnd<'r> = Result<Vec<Yielded<'r>>, Fault>;

impl<'r> Interpreter<'r> {
    /// Runs the steps of a block, then its yields.
    pub(super) fn statements(
        &'r self,
        block: &'r Statements,
        steps: Arc<Steps<'r>>,
        env: Env<'r>,
        place: Place,
    ) -> BoxFuture<'r, BlockEnd<'r>> {
        async move {
            let env = env.steps(Arc::clone(&steps));
            let deeper = self.steps(block, &steps, &env, &place).await?;
            let mut yields = self.yields(&block.yields, &env, &place).await?;
            yields.extend(deeper);
            Ok(yields)
        }
        .boxed()
    }

    /// Runs each step as soon as what it refers to is complete. After the first error, no further
    /// step begins; running ones are waited for.
    async fn steps(
        &'r self,
        block: &'r Statements,
        steps: &Steps<'r>,
        env: &Env<'r>,
        place: &Place,
    ) -> BlockEnd<'r> {
        let mut schedule: Schedule<'r, End, BranchEnd<'r>> = Schedule::new();
        for (at, step) in block.steps.iter().enumerate() {
            schedule.wait(at, env.complete(&References::of_call(&step.call).steps));
        }
        let mut waiting: BTreeSet<usize> = (0..block.steps.len()).collect();
        let mut failures = Failures::default();
        let mut yields = Yields::default();
        while let Some(next) = schedule.next().await {
            let (at, fault) = match next {
                Next::Waited(at, Ok(())) => {
                    waiting.remove(&at);
                    let step = &block.steps[at];
                    schedule.run(at, self.step(step, steps, env.clone(), place));
                    continue;
                }
                Next::Ended(at, Ok(yielded)) => {
                    yields.add(at, yielded);
                    continue;
                }
                Next::Waited(at, Err(fault)) | Next::Ended(at, Err(fault)) => (at, fault),
            };
            schedule.stop();
            // What waits for a step that never begins fails with what prevents it: running steps are
            // waited for, and their bodies may wait for it.
            for never in std::mem::take(&mut waiting) {
                let cell = steps.cell(&block.steps[never].name);
                cell.finish(Err(fault.clone()));
            }
            failures.add(at, fault);
        }
        failures.or(yields.in_order())
    }

    fn step(
        &'r self,
        step: &'r Step,
        steps: &Steps<'r>,
        env: Env<'r>,
        place: &Place,
    ) -> BoxFuture<'r, BranchEnd<'r>> {
        let cell = steps.cell(&step.name);
        self.instance(Instance::of_step(self, step, cell, env, place))
    }
}
