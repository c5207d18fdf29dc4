//! The program, its namespaces and declarations.

use super::nodes::{Detail, Nodes};
use crate::ast;
use crate::form::{
    Body, Declaration, Doc, DocEntry, Facet, Field, Implicit, MixinKind, Namespace, Param, Program,
    Prompt, Schema, Type,
};
use crate::source::Sources;

/// Makes one compiled program of texts that were parsed and checked.
#[must_use]
pub fn lower(files: &[ast::File], sources: &Sources, detail: Detail) -> Program {
    let mut nodes = Nodes::new(sources, detail);
    let mut declarations = Vec::new();
    for file in files {
        let namespaces = file.items.iter().filter_map(|item| match item {
            ast::Item::Namespace(namespace) => Some(namespace),
            ast::Item::Decl(_) => None,
        });
        let namespaces = nodes.list("namespaces", namespaces, Nodes::namespace);
        declarations.extend(namespaces.into_iter().map(Declaration::Namespace));
        let decls = file.items.iter().filter_map(|item| match item {
            ast::Item::Decl(decl) => Some(decl),
            ast::Item::Namespace(_) => None,
        });
        declarations.extend(nodes.list("declarations", decls, Nodes::declaration));
    }
    declarations.sort_by_key(rank);
    Program {
        declarations,
        node: nodes.program(),
    }
}

/// The order of kinds within a scope.
pub(crate) fn rank(declaration: &Declaration) -> u8 {
    match declaration {
        Declaration::Namespace(_) => 0,
        Declaration::Facet(facet) => match facet.kind {
            ast::FacetKind::Facet => 1,
            ast::FacetKind::Event => 2,
            ast::FacetKind::Workflow => 3,
        },
        Declaration::Implicit(_) => 4,
        Declaration::Schema(_) => 5,
    }
}

impl Nodes<'_> {
    fn namespace(&mut self, namespace: &ast::Namespace) -> Namespace {
        let mut declarations = self.list("declarations", namespace.decls(), Self::declaration);
        declarations.sort_by_key(rank);
        Namespace {
            name: namespace.name.text.clone(),
            doc: namespace.doc.as_ref().map(doc),
            uses: namespace
                .uses()
                .map(|used| used.name.text.clone())
                .collect(),
            declarations,
            node: self.node(namespace.span),
        }
    }

    fn declaration(&mut self, decl: &ast::Decl) -> Declaration {
        match decl {
            ast::Decl::Facet(facet) => Declaration::Facet(Box::new(self.facet(facet))),
            ast::Decl::Schema(schema) => Declaration::Schema(Schema {
                name: schema.name.text.clone(),
                doc: schema.doc.as_ref().map(doc),
                fields: schema.fields.iter().map(field).collect(),
                node: self.node(schema.span),
            }),
            ast::Decl::Implicit(implicit) => Declaration::Implicit(Implicit {
                name: implicit.name.text.clone(),
                call: self.below("call", |nodes| nodes.call(&implicit.call)),
                node: self.node(implicit.span),
            }),
        }
    }

    fn facet(&mut self, facet: &ast::FacetDecl) -> Facet {
        let signature = &facet.signature;
        let pre_script = facet.pre_script.as_ref();
        let catch = facet.catch.as_ref();
        Facet {
            kind: facet.kind,
            name: signature.name.text.clone(),
            doc: facet.doc.as_ref().map(doc),
            params: self.params(&signature.params),
            returns: self.params(&signature.returns),
            mixins: self.mixins(&signature.mixins, MixinKind::Signature),
            pre_script: pre_script
                .map(|script| self.below("pre_script", |nodes| nodes.script(script))),
            body: match &facet.body {
                ast::Body::Blocks(blocks) => {
                    Body::Blocks(self.list("body", blocks, Self::and_then))
                }
                ast::Body::Prompt(prompt) => {
                    Body::Prompt(self.below("body", |nodes| nodes.prompt(prompt)))
                }
            },
            catch: catch.map(|catch| self.below("catch", |nodes| nodes.catch(catch))),
            node: self.node(facet.span),
        }
    }

    fn params(&self, params: &[ast::Param]) -> Vec<Param> {
        let param = |param: &ast::Param| Param {
            name: param.name.text.clone(),
            ty: ty(&param.ty),
            default: param.default.as_ref().map(|default| self.expr(default)),
        };
        params.iter().map(param).collect()
    }

    fn prompt(&self, prompt: &ast::Prompt) -> Prompt {
        let text = |directive: &Option<ast::Directive>| {
            directive.as_ref().map(|directive| directive.text.clone())
        };
        Prompt {
            system: text(&prompt.system),
            template: text(&prompt.template),
            model: text(&prompt.model),
            node: self.node(prompt.span),
        }
    }
}

fn field(field: &ast::Field) -> Field {
    Field {
        name: field.name.text.clone(),
        ty: ty(&field.ty),
    }
}

fn ty(of: &ast::Type) -> Type {
    match &of.kind {
        ast::TypeKind::Name(name) => Type::Name(name.text.clone()),
        ast::TypeKind::Array(element) => Type::Array(Box::new(ty(element))),
    }
}

fn doc(doc: &ast::Doc) -> Doc {
    let entries = |entries: &[ast::DocEntry]| {
        let entry = |entry: &ast::DocEntry| DocEntry {
            name: entry.name.clone(),
            description: entry.description.clone(),
        };
        entries.iter().map(entry).collect()
    };
    Doc {
        description: doc.description.clone(),
        params: entries(&doc.params),
        returns: entries(&doc.returns),
    }
}
