//! `when { case .. }`

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::env::{Env, Steps};
use super::fault::Failures;
use super::interpreter::Interpreter;
use super::schedule::{Next, Schedule};
use super::statements::{BlockEnd, BranchEnd};
use super::yields::Yields;
use super::{Event, Fault, Place};
use crate::form::{Case, Condition, Expr, When};
use crate::program::References;
use crate::value::evaluate;

impl<'r> Interpreter<'r> {
    /// Runs all matching cases at the same time, each as soon as its condition can be evaluated; the
    /// default only if no case matches. `scope` gives their scopes.
    pub(super) fn when(
        &'r self,
        when: &'r When,
        env: Env<'r>,
        place: Place,
        scope: impl Fn(usize) -> Place + Send + Sync + 'r,
    ) -> BoxFuture<'r, BlockEnd<'r>> {
        async move {
            let run = |at: usize| {
                let block = &when.cases[at].statements;
                let place = scope(at);
                let end = self.statements(block, Steps::of(block), env.clone(), place.clone());
                self.sub_block(place, end)
            };
            let mut schedule = Schedule::new();
            let mut undecided = self.conditions(when, &env, &place, &schedule);
            let mut default = when.cases.iter().position(is_default);
            let mut failures = Failures::default();
            let mut yields = Yields::default();
            loop {
                if undecided == 0
                    && failures.is_empty()
                    && let Some(at) = default.take()
                {
                    schedule.run(at, run(at));
                }
                let (at, fault) = match schedule.next().await {
                    None => break,
                    Some(Next::Waited(at, Ok(matches))) => {
                        undecided -= 1;
                        if matches {
                            default = None;
                            schedule.run(at, run(at));
                        }
                        continue;
                    }
                    Some(Next::Ended(at, Ok(yielded))) => {
                        yields.add(at, yielded);
                        continue;
                    }
                    Some(Next::Waited(at, Err(fault)) | Next::Ended(at, Err(fault))) => (at, fault),
                };
                schedule.stop();
                failures.add(at, fault);
            }
            failures.or(yields.in_order())
        }
        .boxed()
    }

    /// Schedules the conditions, and returns how many there are.
    fn conditions(
        &'r self,
        when: &'r When,
        env: &Env<'r>,
        place: &Place,
        schedule: &Schedule<'r, Result<bool, Fault>, BranchEnd<'r>>,
    ) -> usize {
        let mut count = 0;
        for (at, case) in when.cases.iter().enumerate() {
            if let Condition::If(condition) = &case.condition {
                schedule.wait(at, self.condition(condition, env.clone(), place.clone()));
                count += 1;
            }
        }
        count
    }

    /// Whether a case applies. A condition that cannot be evaluated counts as false; one that waits
    /// for a failed step fails.
    fn condition(
        &'r self,
        condition: &'r Expr,
        env: Env<'r>,
        place: Place,
    ) -> BoxFuture<'r, Result<bool, Fault>> {
        async move {
            env.complete(&References::of_expr(condition).steps).await?;
            Ok(match evaluate(condition, &env) {
                Ok(value) => value.truth(),
                Err(error) => {
                    let note =
                        format!("a condition cannot be evaluated and counts as false: {error}");
                    self.host.observe(&place, Event::Note(&note));
                    false
                }
            })
        }
        .boxed()
    }
}

fn is_default(case: &Case) -> bool {
    matches!(case.condition, Condition::Default)
}
