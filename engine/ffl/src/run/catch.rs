//! The catch of a call.

use std::sync::Arc;

use futures::future::BoxFuture;

use super::env::{Env, Steps};
use super::instance::{Instance, Progress};
use super::interpreter::Interpreter;
use super::statements::BlockEnd;
use super::target::Target;
use super::{Fault, Place};
use crate::form::{Catch, CatchKind};
use crate::states::{ObjectType, State};

impl<'r> Interpreter<'r> {
    /// Runs the catch of the statement or, if it has none, of the facet. Without either, the error
    /// stays.
    pub(super) async fn catch(
        &'r self,
        instance: &Instance<'r>,
        progress: &mut Progress<'r>,
        fault: Fault,
    ) -> Result<(), Fault> {
        let error = Arc::new(fault);
        let of_statement = of_statement(instance);
        let of_facet = || of_facet(instance, progress, &error);
        let Some((catch, env)) = of_statement.or_else(of_facet) else {
            return Err(Arc::unwrap_or_clone(error));
        };
        let place = &instance.place;
        progress.error = Some(error);
        self.publish(instance, progress);
        self.enter(place, &[State::CatchBegin, State::CatchContinue]);
        let scope = place.scope("k");
        let end = self.catch_block(catch, env, place, scope.clone());
        let yields = self.block(ObjectType::AndCatch, scope, end).await?;
        progress.yields.extend(yields);
        self.enter(place, &[State::CatchEnd]);
        Ok(())
    }

    fn catch_block(
        &'r self,
        catch: &'r Catch,
        env: Env<'r>,
        place: &Place,
        scope: Place,
    ) -> BoxFuture<'r, BlockEnd<'r>> {
        match &catch.kind {
            CatchKind::Statements(block) => self.statements(block, Steps::of(block), env, scope),
            CatchKind::When(when) => {
                let around = place.clone();
                self.when(when, env, scope, move |case| {
                    around.scope(format_args!("k{case}"))
                })
            }
        }
    }
}

fn of_statement<'r>(instance: &Instance<'r>) -> Option<(&'r Catch, Env<'r>)> {
    let (step, env) = instance.statement.as_ref()?;
    let catch = step.catch.as_ref()?;
    Some((catch, env.within(&step.name, instance.cell())))
}

fn of_facet<'r>(
    instance: &Instance<'r>,
    progress: &Progress<'r>,
    error: &Arc<Fault>,
) -> Option<(&'r Catch, Env<'r>)> {
    let Target::Facet(facet) = &instance.target else {
        return None;
    };
    let env = instance.declaration(facet, progress.params.all());
    Some((facet.decl.catch.as_ref()?, env.error(Arc::clone(error))))
}
