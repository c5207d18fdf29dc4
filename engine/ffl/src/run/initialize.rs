//! The parameters of a call: arguments, mixins, implicits and defaults.

use std::sync::Arc;

use super::cell::Object;
use super::env::Env;
use super::interpreter::Interpreter;
use super::target::{MixedIn, Target, site_of};
use super::{Fault, Place};
use crate::form::{Arg, Call, Facet, Mixin, Param};
use crate::program::Declared;
use crate::value::{Value, evaluate};

/// Where the parameters of a call come from.
pub(super) enum Source<'r> {
    /// A call in a text.
    Call { call: &'r Call, env: Env<'r> },
    /// The input of a workflow, or what a mixin of a signature sets.
    Given(Object),
}

/// The parameters of a call while they are computed.
#[derive(Debug, Default)]
pub(super) struct Params {
    /// Arguments and mixins of the call: nothing overrides them.
    set: Object,
    /// Implicits and defaults, and mixins of the signature, which override them.
    filled: Object,
}

/// A mixin of a signature that runs as a step of its own.
pub(super) struct SubStep<'r> {
    pub(super) alias: &'r str,
    pub(super) target: Target<'r>,
    pub(super) params: Object,
}

impl Params {
    pub(super) fn all(&self) -> Arc<Object> {
        let mut all = self.filled.clone();
        let set = self.set.iter();
        all.extend(set.map(|(name, value)| (Arc::clone(name), value.clone())));
        Arc::new(all)
    }

    fn has(&self, name: &str) -> bool {
        self.set.contains_key(name) || self.filled.contains_key(name)
    }

    /// What a mixin's alias denotes once its step is complete.
    pub(super) fn capture(&mut self, alias: &str, value: Value) {
        self.set.insert(alias.into(), value);
    }
}

impl<'r> Interpreter<'r> {
    /// Computes the parameters of a call; on an error, `params` has those before it. Returns the
    /// mixins that run as steps.
    pub(super) fn initialize(
        &'r self,
        target: &Target<'r>,
        source: &Source<'r>,
        params: &mut Params,
        place: &Place,
    ) -> Result<Vec<SubStep<'r>>, Fault> {
        match source {
            Source::Given(given) => params.set.clone_from(given),
            Source::Call { call, env } => {
                self.arguments(&call.args, env, &mut params.set, place)?;
                self.call_mixins(&call.mixins, env, &mut params.set, place)?;
                if let Target::Facet(facet) = target {
                    self.implicit(facet, params, place)?;
                }
            }
        }
        let Target::Facet(facet) = target else {
            return Ok(Vec::new());
        };
        for param in &facet.decl.params {
            self.default(facet, param, params, place)?;
        }
        self.signature_mixins(facet, params, place)
    }

    fn arguments(
        &self,
        args: &'r [Arg],
        env: &Env<'r>,
        values: &mut Object,
        place: &Place,
    ) -> Result<(), Fault> {
        for arg in args {
            let value = self.value(&arg.value, env, place)?;
            values.insert(arg.name.as_str().into(), value);
        }
        Ok(())
    }

    pub(super) fn value(
        &self,
        expr: &'r crate::form::Expr,
        env: &Env<'r>,
        place: &Place,
    ) -> Result<Value, Fault> {
        evaluate(expr, env).map_err(|error| Fault::evaluation(&error, place))
    }

    /// Mixins of a call never override what is set.
    fn call_mixins(
        &self,
        mixins: &'r [Mixin],
        env: &Env<'r>,
        set: &mut Object,
        place: &Place,
    ) -> Result<(), Fault> {
        for mixin in mixins {
            let MixedIn::Facet(target) = self.mixed_in(mixin, &env.site()) else {
                continue;
            };
            let values = self.mixin_values(mixin, &target, env, place)?;
            match &mixin.alias {
                Some(alias) => {
                    let entry = set.entry(alias.as_str().into());
                    entry.or_insert_with(|| Value::from(values));
                }
                None => {
                    for (name, value) in values {
                        set.entry(name).or_insert(value);
                    }
                }
            }
        }
        Ok(())
    }

    /// The arguments of a mixin, and the defaults of its facet.
    fn mixin_values(
        &self,
        mixin: &'r Mixin,
        target: &Target<'r>,
        env: &Env<'r>,
        place: &Place,
    ) -> Result<Object, Fault> {
        let mut params = Params::default();
        self.arguments(&mixin.args, env, &mut params.set, place)?;
        if let Target::Facet(facet) = target {
            for param in &facet.decl.params {
                self.default(facet, param, &mut params, place)?;
            }
        }
        Ok(Arc::unwrap_or_clone(params.all()))
    }

    /// The first implicit of the facet. Its text can refer to nothing.
    fn implicit(
        &self,
        facet: &Declared<'r, &'r Facet>,
        params: &mut Params,
        place: &Place,
    ) -> Result<(), Fault> {
        let Some(implicit) = self.index.implicit(facet) else {
            return Ok(());
        };
        let env = Env::declaration(Arc::clone(&implicit.site), Arc::default(), None);
        let call = &implicit.decl.call;
        self.arguments(&call.args, &env, &mut params.filled, place)?;
        self.call_mixins(&call.mixins, &env, &mut params.filled, place)
    }

    fn default(
        &self,
        facet: &Declared<'r, &'r Facet>,
        param: &'r Param,
        params: &mut Params,
        place: &Place,
    ) -> Result<(), Fault> {
        let Some(default) = param.default.as_ref().filter(|_| !params.has(&param.name)) else {
            return Ok(());
        };
        let env = Env::declaration(site_of(facet), params.all(), None);
        let value = self.value(default, &env, place)?;
        params.filled.insert(param.name.as_str().into(), value);
        Ok(())
    }

    /// Without an alias, the values are merged; with an alias, the mixin is a step.
    fn signature_mixins(
        &'r self,
        facet: &Declared<'r, &'r Facet>,
        params: &mut Params,
        place: &Place,
    ) -> Result<Vec<SubStep<'r>>, Fault> {
        let mut steps = Vec::new();
        for mixin in &facet.decl.mixins {
            let MixedIn::Facet(target) = self.mixed_in(mixin, &facet.site) else {
                continue;
            };
            let env = Env::declaration(site_of(facet), params.all(), None);
            let values = self.mixin_values(mixin, &target, &env, place)?;
            let Some(alias) = &mixin.alias else {
                params.filled.extend(values);
                continue;
            };
            let object = Value::from(values.clone());
            params.filled.insert(alias.as_str().into(), object);
            steps.push(SubStep {
                alias,
                target,
                params: values,
            });
        }
        Ok(steps)
    }
}
