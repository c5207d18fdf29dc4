//! The walk over all declarations.

use std::sync::Arc;

use super::members::Known;
use crate::ast::{Decl, File, Item, Namespace};
use crate::diag::{Code, Diagnostic, sort};
use crate::program::{Site, SyntaxIndex};

/// The most declarations that a program has.
pub const MAX_DECLARATIONS: usize = 10_000;

pub(super) struct Checker<'a> {
    pub(super) index: SyntaxIndex<'a>,
    pub(super) known: Known<'a>,
    found: Vec<Diagnostic>,
}

/// Checks a program; gives its errors and warnings, sorted by position.
#[must_use]
pub fn check(files: &[File]) -> Vec<Diagnostic> {
    let mut checker = Checker {
        index: SyntaxIndex::of_files(files),
        known: Known::default(),
        found: Vec::new(),
    };
    if checker.has_too_many_declarations(files) {
        return checker.found;
    }
    checker.declared_twice(files);
    checker.recursions(files);
    let top = Arc::new(Site::default());
    for item in files.iter().flat_map(|file| &file.items) {
        match item {
            Item::Decl(decl) => {
                checker.outside_namespace(decl);
                checker.decl(decl, &top);
            }
            Item::Namespace(namespace) => checker.namespace(namespace),
        }
    }
    sort(&mut checker.found);
    checker.found
}

impl<'a> Checker<'a> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    fn namespace(&mut self, namespace: &'a Namespace) {
        self.uses(namespace);
        let site = Arc::new(Site::of(namespace));
        for decl in namespace.decls() {
            self.decl(decl, &site);
        }
    }

    fn decl(&mut self, decl: &'a Decl, site: &Arc<Site<'a>>) {
        match decl {
            Decl::Facet(facet) => self.facet(facet, site),
            Decl::Schema(schema) => self.schema(schema, site),
            Decl::Implicit(implicit) => self.implicit(implicit, site),
        }
    }

    /// E201: `use` of a namespace that does not exist.
    fn uses(&mut self, namespace: &'a Namespace) {
        for used in namespace.uses() {
            if !self.index.has_namespace(&used.name.text) {
                let message = format!("there is no namespace `{}`", used.name);
                self.report(
                    Diagnostic::new(Code::E201, used.name.span, message)
                        .help("add the file or library that contains it, or remove the `use`"),
                );
            }
        }
    }

    /// E105, E106: a workflow or a schema outside a namespace.
    fn outside_namespace(&mut self, decl: &'a Decl) {
        let (code, kind) = match decl {
            Decl::Facet(facet) if facet.kind == crate::ast::FacetKind::Workflow => {
                (Code::E105, "workflow")
            }
            Decl::Schema(_) => (Code::E106, "schema"),
            Decl::Facet(_) | Decl::Implicit(_) => return,
        };
        let name = decl.name();
        let message = format!("the {kind} `{name}` is outside a namespace");
        self.report(
            Diagnostic::new(code, name.span, message)
                .help(format!("put it in `namespace name {{ {kind} {name} .. }}`")),
        );
    }

    /// E010: the limit of declarations, reported at the first that exceeds it. Nothing else is
    /// checked then.
    fn has_too_many_declarations(&mut self, files: &'a [File]) -> bool {
        let Some(first) = decls(files).nth(MAX_DECLARATIONS) else {
            return false;
        };
        let message = format!("the program has too many declarations: limit={MAX_DECLARATIONS}");
        self.report(
            Diagnostic::new(Code::E010, first.name().span, message)
                .help("split the program into several programs"),
        );
        true
    }
}

/// All declarations, in text order.
pub(super) fn decls(files: &[File]) -> impl Iterator<Item = &Decl> {
    files
        .iter()
        .flat_map(|file| &file.items)
        .flat_map(|item| match item {
            Item::Decl(decl) => either(Some(decl), None),
            Item::Namespace(namespace) => either(None, Some(namespace)),
        })
}

fn either<'a>(
    decl: Option<&'a Decl>,
    namespace: Option<&'a Namespace>,
) -> impl Iterator<Item = &'a Decl> {
    let decls = namespace.into_iter().flat_map(Namespace::decls);
    decl.into_iter().chain(decls)
}
