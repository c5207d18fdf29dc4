//! Yields: where they go, and how they are merged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cell::Object;
use super::env::Env;
use super::fault::Failures;
use super::interpreter::Interpreter;
use super::statements::BlockEnd;
use super::target::{Target, is_same};
use super::{Event, Fault, Place};
use crate::form::{Arg, Facet, Yield};
use crate::program::References;
use crate::states::{ObjectType, State};
use crate::value::Value;

/// The values of a yield, on their way to its target.
#[derive(Clone, Debug)]
pub(super) struct Yielded<'r> {
    /// As written: a facet, a mixin or an alias.
    pub(super) target: &'r str,
    pub(super) values: Object,
}

/// The yields of the branches of a block, by the place of the branch in the text.
#[derive(Default)]
pub(super) struct Yields<'r>(BTreeMap<usize, Vec<Yielded<'r>>>);

impl<'r> Yields<'r> {
    pub(super) fn add(&mut self, at: usize, yields: Vec<Yielded<'r>>) {
        self.0.insert(at, yields);
    }

    pub(super) fn in_order(self) -> Vec<Yielded<'r>> {
        self.0.into_values().flatten().collect()
    }
}

/// Where a yield goes that reaches a step.
pub(super) enum Route<'r> {
    Step,
    /// A mixin of the signature, under this alias.
    Alias(&'r str),
    /// An outer step, or none.
    Outer,
}

impl<'r> Interpreter<'r> {
    /// Creates the yields of a block, once what they refer to in outer blocks is complete.
    pub(super) async fn yields(
        &'r self,
        yields: &'r [Yield],
        env: &Env<'r>,
        place: &Place,
    ) -> BlockEnd<'r> {
        let mut names = BTreeSet::new();
        for yielded in yields {
            names.extend(References::of_call(&yielded.call).steps);
        }
        env.complete(&names).await?;
        let mut failures = Failures::default();
        let mut created = Vec::new();
        for (number, yielded) in yields.iter().enumerate() {
            let place = place.scope(format_args!("y{number}"));
            if let Err(fault) = self.create_yield(yielded, env, &place, &mut created) {
                self.failed(&place, &fault);
                failures.add(number, fault);
            }
        }
        failures.or(created)
    }

    /// `yield F(..) with M(..)` is two yields.
    fn create_yield(
        &'r self,
        yielded: &'r Yield,
        env: &Env<'r>,
        place: &Place,
        created: &mut Vec<Yielded<'r>>,
    ) -> Result<(), Fault> {
        let call = &yielded.call;
        let event = Event::Created {
            object: ObjectType::YieldAssignment,
            name: &call.target,
            facet: None,
        };
        self.host.observe(place, event);
        self.enter(place, &[State::Created, State::InitializationBegin]);
        let first = self.yielded(&call.target, &call.args, env, place)?;
        let mut all = vec![first];
        for mixin in &call.mixins {
            let target = mixin.alias.as_ref().unwrap_or(&mixin.target);
            all.push(self.yielded(target, &mixin.args, env, place)?);
        }
        created.append(&mut all);
        let rest = [
            State::InitializationEnd,
            State::ScriptsBegin,
            State::ScriptsEnd,
            State::End,
            State::Complete,
        ];
        self.enter(place, &rest);
        Ok(())
    }

    fn yielded(
        &self,
        target: &'r str,
        args: &'r [Arg],
        env: &Env<'r>,
        place: &Place,
    ) -> Result<Yielded<'r>, Fault> {
        let mut values = Object::new();
        for arg in args {
            let value = self.value(&arg.value, env, place)?;
            values.insert(arg.name.as_str().into(), value);
        }
        Ok(Yielded { target, values })
    }
}

/// Where a yield goes at a step of this target.
pub(super) fn route<'r>(target: &Target<'r>, yielded: &Yielded<'r>) -> Route<'r> {
    if is_same(&target.name(), yielded.target) {
        return Route::Step;
    }
    let Some(facet) = target.facet() else {
        return Route::Outer;
    };
    let aliases = facet
        .mixins
        .iter()
        .filter_map(|mixin| mixin.alias.as_deref());
    if let Some(alias) = aliases.clone().find(|alias| *alias == yielded.target) {
        return Route::Alias(alias);
    }
    bare_mixin(facet, yielded.target)
}

/// A yield to a mixin by its facet goes to its only alias. Without an alias, its values are merged
/// with those of the step, as the mixin's are.
fn bare_mixin<'r>(facet: &'r Facet, target: &str) -> Route<'r> {
    let mut named = facet
        .mixins
        .iter()
        .filter(|mixin| is_same(&mixin.target, target));
    match (named.next(), named.next()) {
        (Some(only), None) => only.alias.as_deref().map_or(Route::Step, Route::Alias),
        _ => Route::Outer,
    }
}

/// Values that are merged by name: lists concatenate, otherwise the later value counts.
pub(super) struct Merged(BTreeMap<Arc<str>, Slot>);

/// A list grows in place: many elements may each add to it.
enum Slot {
    List(Vec<Value>),
    Other(Value),
}

impl Merged {
    pub(super) fn of(values: Object) -> Self {
        let mut merged = Self(BTreeMap::new());
        merged.add(values);
        merged
    }

    pub(super) fn add(&mut self, values: Object) {
        for (name, value) in values {
            match (self.0.get_mut(&name), value) {
                (Some(Slot::List(list)), Value::Array(more)) => list.extend_from_slice(&more),
                (_, Value::Array(list)) => drop(self.0.insert(name, Slot::List(list.to_vec()))),
                (_, other) => drop(self.0.insert(name, Slot::Other(other))),
            }
        }
    }

    pub(super) fn finish(self) -> Object {
        let values = self.0.into_iter().map(|(name, slot)| match slot {
            Slot::List(list) => (name, Value::from(list)),
            Slot::Other(value) => (name, value),
        });
        values.collect()
    }
}
