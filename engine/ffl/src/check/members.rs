//! The members of facets and schemas by name, each found once per program.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::checker::Checker;
use super::inputs::Inputs;
use crate::ast::{FacetDecl, Field, Mixin, Param, SchemaDecl};
use crate::program::Declared;

/// The parameters and returns of a facet. Of equal names, the first counts.
pub(super) struct Members<'a> {
    /// With their places in the signature.
    pub(super) params: BTreeMap<&'a str, (usize, &'a Param)>,
    pub(super) returns: BTreeMap<&'a str, &'a Param>,
    /// The mixins of the signature by the short names of their facets.
    pub(super) mixins: BTreeMap<&'a str, Vec<&'a Mixin>>,
}

pub(super) type Fields<'a> = BTreeMap<&'a str, &'a Field>;
pub(super) type Aliases<'a> = BTreeMap<&'a str, &'a Mixin>;

/// What was found before: a lookup takes no time in proportion to a signature.
#[derive(Default)]
pub(super) struct Known<'a> {
    members: Stored<*const FacetDecl, Members<'a>>,
    fields: Stored<*const SchemaDecl, Fields<'a>>,
    aliases: Stored<*const Mixin, Aliases<'a>>,
    inputs: Stored<*const FacetDecl, Inputs<'a>>,
    required: Stored<(*const FacetDecl, bool), Vec<&'a Param>>,
}

type Stored<K, V> = RefCell<BTreeMap<K, Rc<V>>>;

/// The stored value of a key, or what `find` gives, which is stored then.
fn once<K: Ord, V>(stored: &Stored<K, V>, key: K, find: impl FnOnce() -> V) -> Rc<V> {
    if let Some(found) = stored.borrow().get(&key) {
        return Rc::clone(found);
    }
    let found = Rc::new(find());
    stored.borrow_mut().insert(key, Rc::clone(&found));
    found
}

fn first_of_each<'a, T>(
    items: &'a [T],
    name: impl Fn(&'a T) -> Option<&'a str>,
) -> BTreeMap<&'a str, &'a T> {
    let mut first = BTreeMap::new();
    for item in items {
        if let Some(name) = name(item) {
            first.entry(name).or_insert(item);
        }
    }
    first
}

impl<'a> Checker<'a> {
    pub(super) fn members(&self, facet: &'a FacetDecl) -> Rc<Members<'a>> {
        once(&self.known.members, std::ptr::from_ref(facet), || {
            let signature = &facet.signature;
            let mut params = BTreeMap::new();
            for (at, param) in signature.params.iter().enumerate() {
                params
                    .entry(param.name.text.as_str())
                    .or_insert((at, param));
            }
            let mut mixins: BTreeMap<&str, Vec<&Mixin>> = BTreeMap::new();
            for mixin in &signature.mixins {
                mixins.entry(mixin.target.short()).or_default().push(mixin);
            }
            Members {
                params,
                returns: first_of_each(&signature.returns, |param| Some(&param.name.text)),
                mixins,
            }
        })
    }

    pub(super) fn fields(&self, schema: &'a SchemaDecl) -> Rc<Fields<'a>> {
        once(&self.known.fields, std::ptr::from_ref(schema), || {
            first_of_each(&schema.fields, |field| Some(&field.name.text))
        })
    }

    /// The mixins of a signature or call that have an alias.
    pub(super) fn aliases(&self, mixins: &'a [Mixin]) -> Rc<Aliases<'a>> {
        let Some(first) = mixins.first() else {
            return Rc::default();
        };
        once(&self.known.aliases, std::ptr::from_ref(first), || {
            first_of_each(mixins, |mixin| {
                mixin.alias.as_ref().map(|alias| alias.text.as_str())
            })
        })
    }

    /// The scope of the blocks of a declaration.
    pub(super) fn facet_inputs(&self, facet: &Declared<'a, &'a FacetDecl>) -> Rc<Inputs<'a>> {
        once(&self.known.inputs, std::ptr::from_ref(facet.decl), || {
            let params = facet.decl.signature.params.len();
            let mut inputs = Inputs::of_params(self.members(facet.decl), &facet.site, params);
            for mixin in &facet.decl.signature.mixins {
                inputs.names.add_mixin(self, mixin, &facet.site);
            }
            inputs.scripted = facet.decl.pre_script.is_some();
            inputs
        })
    }

    /// The parameters that a call or a mixin must set: those without a default, and for a call, that
    /// neither the mixins of the facet nor its first implicit set. A pre-script may set any.
    pub(super) fn required(
        &self,
        facet: &Declared<'a, &'a FacetDecl>,
        is_call: bool,
    ) -> Rc<Vec<&'a Param>> {
        let key = (std::ptr::from_ref(facet.decl), is_call);
        once(&self.known.required, key, || {
            if facet.decl.pre_script.is_some() {
                return Vec::new();
            }
            let set = if is_call {
                self.set_by_facet(facet)
            } else {
                super::inputs::NameSet::default()
            };
            let params = facet.decl.signature.params.iter();
            params
                .filter(|param| param.default.is_none() && !set.contains(&param.name.text))
                .collect()
        })
    }
}
