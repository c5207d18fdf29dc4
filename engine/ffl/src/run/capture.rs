//! The capture: what a call returns.

use std::collections::BTreeMap;

use super::cell::Object;
use super::instance::{Instance, Progress};
use super::interpreter::Interpreter;
use super::target::Target;
use super::yields::{Merged, Route, Yielded, route};
use super::{Event, Fault};
use crate::states::State;
use crate::value::Value;

impl<'r> Interpreter<'r> {
    /// Gives the yields to their targets, then fills the returns that nothing has set. Returns the
    /// yields for outer steps.
    pub(super) fn capture(
        &'r self,
        instance: &Instance<'r>,
        progress: &mut Progress<'r>,
    ) -> Result<Vec<Yielded<'r>>, Fault> {
        let place = &instance.place;
        let has_phase = has_phase(instance, progress);
        if has_phase {
            self.enter(place, &[State::CaptureBegin]);
        }
        let outer = merge(instance, progress);
        self.default_returns(instance, progress)?;
        self.publish(instance, progress);
        let returns = Value::from(progress.returns.clone());
        self.host.observe(place, Event::Returns(&returns));
        if has_phase {
            self.enter(place, &[State::CaptureEnd]);
        }
        Ok(outer)
    }

    fn default_returns(
        &'r self,
        instance: &Instance<'r>,
        progress: &mut Progress<'r>,
    ) -> Result<(), Fault> {
        let Target::Facet(facet) = &instance.target else {
            return Ok(());
        };
        let env = instance.declaration(facet, progress.params.all());
        for returned in &facet.decl.returns {
            let is_set = progress.returns.contains_key(returned.name.as_str());
            if let Some(default) = returned.default.as_ref().filter(|_| !is_set) {
                let value = self.value(default, &env, &instance.place)?;
                let name = returned.name.as_str().into();
                progress.returns.insert(name, value);
            }
        }
        Ok(())
    }
}

/// A schema captures nothing, unless its call has a body or a catch that ran.
fn has_phase(instance: &Instance<'_>, progress: &Progress<'_>) -> bool {
    let has_body = match &instance.statement {
        Some((step, _)) => step.body.is_some(),
        None => false,
    };
    !matches!(instance.target, Target::Schema(_)) || has_body || progress.error.is_some()
}

/// Merges the yields into the returns and the objects of the mixins, and returns those for outer
/// steps.
fn merge<'r>(instance: &Instance<'r>, progress: &mut Progress<'r>) -> Vec<Yielded<'r>> {
    let mut outer = Vec::new();
    let mut returns = Merged::of(std::mem::take(&mut progress.returns));
    let mut aliases: BTreeMap<&str, Merged> = BTreeMap::new();
    for yielded in std::mem::take(&mut progress.yields) {
        match route(&instance.target, &yielded) {
            Route::Step => returns.add(yielded.values),
            Route::Outer => outer.push(yielded),
            Route::Alias(alias) => {
                let object = || Merged::of(object(progress.aliases.get(alias)));
                let merged = aliases.entry(alias).or_insert_with(object);
                merged.add(yielded.values);
            }
        }
    }
    progress.returns = returns.finish();
    for (alias, object) in aliases {
        let object = Value::from(object.finish());
        progress.aliases.insert(alias.into(), object);
    }
    outer
}

fn object(value: Option<&Value>) -> Object {
    match value {
        Some(Value::Object(object)) => Object::clone(object),
        _ => Object::new(),
    }
}
