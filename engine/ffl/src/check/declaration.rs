//! Facets and schemas: their parts, in text order. E803: an empty script.

use std::sync::Arc;

use super::checker::Checker;
use super::inputs::Inputs;
use super::scope::{Layer, Scope};
use super::steps::Siblings;
use crate::ast::{AndThen, Body, FacetDecl, SchemaDecl, Script};
use crate::diag::{Code, Diagnostic};
use crate::program::{Declared, Site};

impl<'a> Checker<'a> {
    pub(super) fn schema(&mut self, schema: &'a SchemaDecl, site: &Arc<Site<'a>>) {
        self.fields_twice(&schema.fields);
        for field in &schema.fields {
            self.check_type(&field.ty, site);
        }
    }

    pub(super) fn facet(&mut self, facet: &'a FacetDecl, site: &Arc<Site<'a>>) {
        self.signature(facet, site);
        if let Some(script) = &facet.pre_script {
            self.script(script);
        }
        let declared = Declared {
            site: Arc::clone(site),
            name: &facet.signature.name.text,
            decl: facet,
        };
        let inputs = self.facet_inputs(&declared);
        let scope = Scope::declaration(site, Some(facet), &inputs);
        match &facet.body {
            Body::Prompt(prompt) => self.prompt(prompt, facet, &scope),
            Body::Blocks(blocks) => self.blocks(blocks, &scope),
        }
        if let Some(catch) = &facet.catch {
            self.catch(catch, &scope.with(Layer::Catch));
        }
    }

    fn signature(&mut self, facet: &'a FacetDecl, site: &Arc<Site<'a>>) {
        let signature = &facet.signature;
        self.params_twice(&signature.params, "parameters");
        self.params_twice(&signature.returns, "returns");
        for (at, param) in signature.params.iter().enumerate() {
            self.check_type(&param.ty, site);
            if let Some(default) = &param.default {
                let before = Inputs::of_params(self.members(facet), site, at);
                self.expr(default, &Scope::declaration(site, Some(facet), &before));
            }
        }
        let params = Inputs::of_params(self.members(facet), site, signature.params.len());
        let scope = Scope::declaration(site, Some(facet), &params);
        for returned in &signature.returns {
            self.check_type(&returned.ty, site);
            if let Some(default) = &returned.default {
                self.expr(default, &scope);
            }
        }
        for mixin in &signature.mixins {
            self.mixin(mixin, &scope);
        }
    }

    /// The blocks of a declaration.
    fn blocks(&mut self, blocks: &'a [AndThen], scope: &Scope<'_, 'a>) {
        let siblings = Siblings::of(blocks);
        for (at, and_then) in blocks.iter().enumerate() {
            let layer = |open| Layer::Siblings {
                blocks: &siblings,
                at,
                open,
            };
            let (open, closed) = (scope.with(layer(true)), scope.with(layer(false)));
            match and_then {
                AndThen::Script { script, .. } => self.script(script),
                AndThen::When { when, .. } => self.when(when, &open),
                AndThen::Block { foreach, block, .. } => match foreach {
                    None => self.block(block, &closed),
                    Some(foreach) => {
                        self.reference(&foreach.list, &open);
                        self.block(block, &closed.with(Layer::Variable(&foreach.variable)));
                    }
                },
            }
        }
    }

    /// E803
    fn script(&mut self, script: &'a Script) {
        if script.code.trim().is_empty() {
            self.report(
                Diagnostic::new(Code::E803, script.span, "the script is empty")
                    .help("write code that sets `result`, or remove the script"),
            );
        }
    }
}
