//! One call of a facet or schema: a step, the workflow, or a mixin that runs as a step.

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::cell::{Cell, Object, Values};
use super::env::Env;
use super::initialize::{Params, Source, SubStep};
use super::interpreter::Interpreter;
use super::target::{Target, site_of};
use super::yields::Yielded;
use super::{Event, Fault, MAX_DEPTH, Place, SCRIPT_UNAVAILABLE};
use crate::ast::FacetKind;
use crate::form::{Facet, Step};
use crate::program::Declared;
use crate::states::{ObjectType, State};
use crate::value::Value;

/// What runs: which facet or schema, with what parameters, and with what body and catch.
pub(super) struct Instance<'r> {
    object: ObjectType,
    name: &'r str,
    pub(super) place: Place,
    cell: Arc<Cell>,
    pub(super) target: Target<'r>,
    source: Source<'r>,
    /// The statement, whose body and catch come before those of the facet.
    pub(super) statement: Option<(&'r Step, Env<'r>)>,
    /// The parameters of the workflow that was started; none for itself and for sub-steps of mixins.
    top: Option<Arc<Object>>,
}

/// What a call has done so far.
#[derive(Default)]
pub(super) struct Progress<'r> {
    pub(super) params: Params,
    pub(super) returns: Object,
    /// The objects of the mixins of the signature.
    pub(super) aliases: Object,
    /// What the catch was run for.
    pub(super) error: Option<Arc<Fault>>,
    /// The yields of the blocks that ended well, in the order of merging.
    pub(super) yields: Vec<Yielded<'r>>,
}

impl Progress<'_> {
    fn values(&self) -> Values {
        Values {
            aliases: self.aliases.clone(),
            returns: self.returns.clone(),
            params: self.params.all(),
            error: self.error.clone(),
        }
    }
}

impl<'r> Instance<'r> {
    /// The workflow with its input.
    pub(super) fn of_workflow(facet: Declared<'r, &'r Facet>, input: Object) -> Self {
        Self {
            object: ObjectType::Workflow,
            name: facet.name,
            place: Place::root(),
            cell: Arc::new(Cell::new()),
            target: Target::Facet(facet),
            source: Source::Given(input),
            statement: None,
            top: None,
        }
    }

    /// A statement of a block.
    pub(super) fn of_step(
        interpreter: &Interpreter<'r>,
        step: &'r Step,
        cell: Arc<Cell>,
        env: Env<'r>,
        block: &Place,
    ) -> Self {
        let target = interpreter.step_target(&step.call.target, &env.site());
        let object = match target {
            Target::Schema(_) => ObjectType::SchemaInstantiation,
            Target::Facet(_) | Target::External(_) => ObjectType::VariableAssignment,
        };
        Self {
            object,
            name: &step.name,
            place: block.step(&step.name),
            cell,
            target,
            source: Source::Call {
                call: &step.call,
                env: env.clone(),
            },
            top: env.top(),
            statement: Some((step, env)),
        }
    }

    /// A mixin of a signature: it has access to its own parameters only.
    pub(super) fn of_mixin(mixin: SubStep<'r>, step: &Place) -> Self {
        Self {
            object: ObjectType::VariableAssignment,
            name: mixin.alias,
            place: step.step(format_args!("m-{}", mixin.alias)),
            cell: Arc::new(Cell::new()),
            target: mixin.target,
            source: Source::Given(mixin.params),
            statement: None,
            top: None,
        }
    }

    pub(super) fn cell(&self) -> Arc<Cell> {
        Arc::clone(&self.cell)
    }

    /// The scope of the text of its facet.
    pub(super) fn declaration(
        &self,
        facet: &Declared<'r, &'r Facet>,
        params: Arc<Object>,
    ) -> Env<'r> {
        Env::declaration(site_of(facet), params, self.top.clone())
    }
}

impl<'r> Interpreter<'r> {
    /// Runs a call to its end, and returns the yields for outer steps. Its cell has ended then.
    pub(super) fn instance(
        &'r self,
        instance: Instance<'r>,
    ) -> BoxFuture<'r, Result<Vec<Yielded<'r>>, Fault>> {
        async move {
            let facet = instance.target.name();
            let created = Event::Created {
                object: instance.object,
                name: instance.name,
                facet: Some(&facet),
            };
            self.host.observe(&instance.place, created);
            self.enter(&instance.place, &[State::Created]);
            let mut progress = Progress::default();
            let end = self.to_capture(&instance, &mut progress).await;
            let end = end.and_then(|()| self.capture(&instance, &mut progress));
            match &end {
                Ok(_) => self.enter(&instance.place, &[State::End, State::Complete]),
                Err(fault) => self.failed(&instance.place, fault),
            }
            instance
                .cell
                .finish(end.as_ref().map(drop).map_err(Clone::clone));
            end
        }
        .boxed()
    }

    /// All phases before the capture: on an error, the catch.
    async fn to_capture(
        &'r self,
        instance: &Instance<'r>,
        progress: &mut Progress<'r>,
    ) -> Result<(), Fault> {
        match self.phases(instance, progress).await {
            Err(fault) if !fault.is_cancelled() => self.catch(instance, progress, fault).await,
            end => end,
        }
    }

    async fn phases(
        &'r self,
        instance: &Instance<'r>,
        progress: &mut Progress<'r>,
    ) -> Result<(), Fault> {
        let place = &instance.place;
        self.enter(place, &[State::InitializationBegin]);
        if place.depth() > MAX_DEPTH {
            let message = format!("bodies are nested too deeply: limit={MAX_DEPTH}");
            return Err(Fault::at(place, "TooDeep", message));
        }
        let (target, params) = (&instance.target, &mut progress.params);
        let mixins = self.initialize(target, &instance.source, params, place)?;
        self.publish(instance, progress);
        self.enter(place, &[State::InitializationEnd]);
        match target {
            Target::External(_) => self.enter(place, &[State::ScriptsBegin, State::ScriptsEnd]),
            Target::Schema(_) => {
                progress.returns = Arc::unwrap_or_clone(progress.params.all());
                self.publish(instance, progress);
            }
            Target::Facet(facet) => {
                self.enter(place, &[State::ScriptsBegin]);
                if facet.decl.pre_script.is_some() {
                    return Err(Fault::at(place, "ScriptUnavailable", SCRIPT_UNAVAILABLE));
                }
                self.enter(place, &[State::ScriptsEnd]);
                self.mixins(mixins, instance, progress).await?;
                if facet.decl.kind == FacetKind::Event {
                    self.enter(place, &[State::EventTransmit]);
                    progress.returns = self.transmit(facet, instance, progress).await?;
                    self.publish(instance, progress);
                }
            }
        }
        self.body(instance, progress).await
    }

    pub(super) fn publish(&self, instance: &Instance<'r>, progress: &Progress<'r>) {
        let values = progress.values();
        let params = Value::Object(Arc::clone(&values.params));
        self.host.observe(&instance.place, Event::Params(&params));
        instance.cell.publish(values);
    }
}
