//! The body of a call.

use std::slice;

use super::Fault;
use super::env::Env;
use super::fault::first_of;
use super::instance::{Instance, Progress};
use super::interpreter::Interpreter;
use super::target::Target;
use crate::form::{Block, Body};
use crate::states::State;

impl<'r> Interpreter<'r> {
    /// Runs the blocks of the statement, if it has any, otherwise those of the facet.
    pub(super) async fn body(
        &'r self,
        instance: &Instance<'r>,
        progress: &mut Progress<'r>,
    ) -> Result<(), Fault> {
        let of_statement = of_statement(instance, progress);
        let Some((blocks, env)) = of_statement.or_else(|| of_facet(instance, progress)) else {
            return Ok(());
        };
        let place = &instance.place;
        self.enter(place, &[State::BlocksBegin, State::BlocksContinue]);
        let mut faults = Vec::new();
        for end in self.blocks(blocks, env, place).await {
            match end {
                Ok(yields) => progress.yields.extend(yields),
                Err(fault) => faults.push(fault),
            }
        }
        first_of(faults)?;
        self.enter(place, &[State::BlocksEnd]);
        Ok(())
    }
}

type Blocks<'r> = (&'r [Block], Env<'r>);

fn of_statement<'r>(instance: &Instance<'r>, progress: &Progress<'r>) -> Option<Blocks<'r>> {
    let (step, env) = instance.statement.as_ref()?;
    let body = step.body.as_deref()?;
    let env = env.within(&step.name, instance.cell());
    let env = match instance.target.opens_scope() {
        true => env.inputs(progress.params.all()),
        false => env,
    };
    Some((slice::from_ref(body), env))
}

fn of_facet<'r>(instance: &Instance<'r>, progress: &Progress<'r>) -> Option<Blocks<'r>> {
    let Target::Facet(facet) = &instance.target else {
        return None;
    };
    match &facet.decl.body {
        Body::Blocks(blocks) if !blocks.is_empty() => {
            Some((blocks, instance.declaration(facet, progress.params.all())))
        }
        Body::Blocks(_) | Body::Prompt(_) => None,
    }
}
