//! Files, namespaces and declarations.

use super::printer::Printer;
use crate::ast::{
    Body, Decl, FacetDecl, FacetKind, Field, File, Item, Member, Namespace, Param, Prompt, Type,
    TypeKind,
};
use crate::lex::TokenKind;

impl Printer<'_> {
    pub(super) fn file(&mut self, file: &File) {
        self.begin_items();
        for item in &file.items {
            self.item();
            match item {
                Item::Namespace(namespace) => self.namespace(namespace),
                Item::Decl(decl) => self.decl(decl),
            }
            self.semicolons();
        }
        self.end_items();
    }

    fn namespace(&mut self, namespace: &Namespace) {
        self.token();
        self.space();
        self.path();
        self.space();
        self.braces(namespace.members.is_empty(), |p| {
            for member in &namespace.members {
                p.item();
                match member {
                    Member::Use(_) => {
                        p.token_as("use");
                        p.space();
                        p.path();
                    }
                    Member::Decl(decl) => p.decl(decl),
                }
                p.semicolons();
            }
        });
    }

    fn decl(&mut self, decl: &Decl) {
        match decl {
            Decl::Facet(facet) => self.facet(facet),
            Decl::Schema(schema) => {
                self.token();
                self.space();
                self.token();
                self.space();
                self.list(&schema.fields, true, Self::field);
            }
            Decl::Implicit(implicit) => {
                for _ in ["implicit", "name", "="] {
                    self.token();
                    self.space();
                }
                self.call(&implicit.call);
            }
        }
    }

    fn facet(&mut self, facet: &FacetDecl) {
        let signature = &facet.signature;
        self.token();
        self.space();
        if facet.kind == FacetKind::Event {
            self.token();
            self.space();
        }
        self.token();
        self.list(&signature.params, false, Self::param);
        if self.next() == TokenKind::Arrow {
            self.space();
            self.token();
            self.space();
            self.list(&signature.returns, false, Self::param);
        }
        self.mixins(&signature.mixins);
        if let Some(script) = &facet.pre_script {
            self.script(script);
        }
        match &facet.body {
            Body::Blocks(blocks) => blocks.iter().for_each(|block| self.and_then(block)),
            Body::Prompt(prompt) => self.prompt(prompt),
        }
        if let Some(catch) = &facet.catch {
            self.catch(catch);
        }
    }

    fn param(&mut self, param: &Param) {
        self.token();
        self.token();
        self.space();
        self.type_(&param.ty);
        if let Some(default) = &param.default {
            self.space();
            self.token();
            self.space();
            self.expr(default);
        }
    }

    fn field(&mut self, field: &Field) {
        self.token();
        self.token();
        self.space();
        self.type_(&field.ty);
    }

    fn type_(&mut self, ty: &Type) {
        match &ty.kind {
            TypeKind::Name(_) => self.path(),
            TypeKind::Array(element) => {
                self.token();
                self.type_(element);
                self.token();
            }
        }
    }

    fn prompt(&mut self, prompt: &Prompt) {
        let Prompt {
            system,
            template,
            model,
            ..
        } = prompt;
        self.space();
        self.token();
        self.space();
        let empty = system.is_none() && template.is_none() && model.is_none();
        self.braces(empty, |p| {
            // Directives as written: the tree has only the last one of each kind.
            while p.next() == TokenKind::Ident {
                p.item();
                p.token();
                p.space();
                p.token();
            }
        });
    }
}
