//! The namespaces that a text contains and names.

use std::collections::BTreeSet;

use crate::ast::{
    AndThen, Block, Body, Call, Catch, Decl, FacetDecl, File, Item, Mixin, QName, When,
};

/// The namespaces that a text contains, and those that a `use`, a call or a mixin names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    pub(super) contains: BTreeSet<String>,
    pub(super) names: BTreeSet<String>,
}

impl Needs {
    pub(super) fn of(file: &File) -> Self {
        let mut needs = Self::default();
        for item in &file.items {
            match item {
                Item::Decl(decl) => needs.decl(decl),
                Item::Namespace(namespace) => {
                    needs.contains.insert(namespace.name.text.clone());
                    let uses = namespace.uses().map(|used| used.name.text.clone());
                    needs.names.extend(uses);
                    namespace.decls().for_each(|decl| needs.decl(decl));
                }
            }
        }
        needs
    }

    fn decl(&mut self, decl: &Decl) {
        match decl {
            Decl::Facet(facet) => self.facet(facet),
            Decl::Implicit(implicit) => self.call(&implicit.call),
            Decl::Schema(_) => {}
        }
    }

    fn facet(&mut self, facet: &FacetDecl) {
        self.mixins(&facet.signature.mixins);
        if let Body::Blocks(blocks) = &facet.body {
            blocks.iter().for_each(|block| self.and_then(block));
        }
        self.catch(facet.catch.as_ref());
    }

    fn and_then(&mut self, and_then: &AndThen) {
        match and_then {
            AndThen::Block { block, .. } => self.block(block),
            AndThen::When { when, .. } => self.when(when),
            AndThen::Script { .. } => {}
        }
    }

    fn block(&mut self, block: &Block) {
        for step in &block.steps {
            self.call(&step.call);
            if let Some(body) = &step.body {
                self.and_then(body);
            }
            self.catch(step.catch.as_ref());
        }
        for yielded in &block.yields {
            self.call(&yielded.call);
        }
    }

    fn when(&mut self, when: &When) {
        when.cases.iter().for_each(|case| self.block(&case.block));
    }

    fn catch(&mut self, catch: Option<&Catch>) {
        match catch {
            Some(Catch::Block { block, .. }) => self.block(block),
            Some(Catch::When { when, .. }) => self.when(when),
            None => {}
        }
    }

    fn call(&mut self, call: &Call) {
        self.name(&call.target);
        self.mixins(&call.mixins);
    }

    fn mixins(&mut self, mixins: &[Mixin]) {
        mixins.iter().for_each(|mixin| self.name(&mixin.target));
    }

    fn name(&mut self, name: &QName) {
        self.names.extend(name.namespace().map(str::to_owned));
    }
}
