//! `andThen foreach variable in list { .. }`

use std::convert::Infallible;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::env::{Env, Steps};
use super::fault::Failures;
use super::interpreter::Interpreter;
use super::schedule::{Next, Schedule};
use super::statements::{BlockEnd, BranchEnd};
use super::yields::Yields;
use super::{Fault, MAX_ELEMENTS, Place};
use crate::form::{Foreach, Statements};
use crate::program::References;
use crate::value::Value;

/// The number of elements that run at the same time. More would keep more attempts in flight than a
/// process should have, and all of a list's elements in memory.
const WIDTH: usize = 64;

impl<'r> Interpreter<'r> {
    /// Runs the block once per element. All elements run to their end, even if some fail; after a
    /// cancellation, no further one begins.
    pub(super) fn foreach(
        &'r self,
        foreach: &'r Foreach,
        block: &'r Statements,
        env: Env<'r>,
        place: Place,
    ) -> BoxFuture<'r, BlockEnd<'r>> {
        async move {
            let elements = self.elements(foreach, &env, &place).await?;
            let run = |at: usize| {
                let env = env.variable(&foreach.variable, elements[at].clone());
                let place = place.scope(format_args!("e{at}"));
                let end = self.statements(block, Steps::of(block), env, place.clone());
                self.sub_block(place, end)
            };
            let mut schedule: Schedule<'r, Infallible, BranchEnd<'r>> = Schedule::new();
            let mut rest = 0..elements.len();
            for at in rest.by_ref().take(WIDTH) {
                schedule.run(at, run(at));
            }
            let mut failures = Failures::default();
            let mut yields = Yields::default();
            while let Some(Next::Ended(at, end)) = schedule.next().await {
                match end {
                    Ok(yielded) => yields.add(at, yielded),
                    Err(fault) => {
                        if fault.is_cancelled() {
                            rest = 0..0;
                        }
                        failures.add(at, fault);
                    }
                }
                if let Some(at) = rest.next() {
                    schedule.run(at, run(at));
                }
            }
            failures.or(yields.in_order())
        }
        .boxed()
    }

    /// The list, once the steps that it names are complete. Null is an empty list.
    async fn elements(
        &self,
        foreach: &'r Foreach,
        env: &Env<'r>,
        place: &Place,
    ) -> Result<Arc<[Value]>, Fault> {
        let names = References::of_expr(&foreach.iterable).steps;
        env.complete(&names).await?;
        match self.value(&foreach.iterable, env, place)? {
            Value::Null => Ok(Arc::default()),
            Value::Array(elements) if elements.len() > MAX_ELEMENTS => {
                let message = format!(
                    "the list of a foreach is too long: elements={}, max={MAX_ELEMENTS}",
                    elements.len()
                );
                Err(Fault::at(place, "TooManyElements", message))
            }
            Value::Array(elements) => Ok(elements),
            other => {
                let message = format!("a foreach takes a list, found {}", other.kind());
                Err(Fault::at(place, "EvaluationError", message))
            }
        }
    }
}
