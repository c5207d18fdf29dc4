//! All declarations of a program.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::names::Names;
use super::{Declared, Found, Site};
use crate::{ast, form};

/// The index of a syntax tree.
pub type SyntaxIndex<'a> =
    Index<'a, &'a ast::FacetDecl, &'a ast::SchemaDecl, &'a ast::ImplicitDecl>;

/// The index of a compiled program.
pub type FormIndex<'a> = Index<'a, &'a form::Facet, &'a form::Schema, &'a form::Implicit>;

/// All declarations of a program, and what a name denotes at a [`Site`].
///
/// Several blocks of one namespace are one namespace here; each block has its own imports.
#[derive(Clone, Debug)]
pub struct Index<'a, F, S, I> {
    namespaces: BTreeSet<&'a str>,
    facets: Names<'a, F>,
    schemas: Names<'a, S>,
    implicits: Vec<(&'a str, Declared<'a, I>)>,
    /// The first implicit of each facet, by namespace and name of the facet.
    by_facet: BTreeMap<(&'a str, &'a str), usize>,
}

impl<'a> SyntaxIndex<'a> {
    /// Indexes texts that were parsed.
    #[must_use]
    pub fn of_files(files: &'a [ast::File]) -> Self {
        let mut index = Self::new();
        let top = Arc::new(Site::default());
        for item in files.iter().flat_map(|file| &file.items) {
            match item {
                ast::Item::Decl(decl) => index.add_syntax(&top, decl),
                ast::Item::Namespace(namespace) => {
                    let site = index.namespace(Site::of(namespace));
                    for decl in namespace.decls() {
                        index.add_syntax(&site, decl);
                    }
                }
            }
        }
        index.finish();
        index
    }

    fn add_syntax(&mut self, site: &Arc<Site<'a>>, decl: &'a ast::Decl) {
        let name = decl.name().text.as_str();
        match decl {
            ast::Decl::Facet(decl) => self.facets.add(declared(site, name, decl)),
            ast::Decl::Schema(decl) => self.schemas.add(declared(site, name, decl)),
            ast::Decl::Implicit(decl) => {
                let target = decl.call.target.text.as_str();
                self.implicits.push((target, declared(site, name, decl)));
            }
        }
    }
}

impl<'a> FormIndex<'a> {
    /// Indexes a compiled program.
    #[must_use]
    pub fn of_program(program: &'a form::Program) -> Self {
        let mut index = Self::new();
        let top = Arc::new(Site::default());
        for decl in &program.declarations {
            if let form::Declaration::Namespace(namespace) = decl {
                let site = index.namespace(Site {
                    namespace: &namespace.name,
                    uses: namespace.uses.iter().map(String::as_str).collect(),
                });
                for decl in &namespace.declarations {
                    index.add_form(&site, decl);
                }
            } else {
                index.add_form(&top, decl);
            }
        }
        index.finish();
        index
    }

    fn add_form(&mut self, site: &Arc<Site<'a>>, decl: &'a form::Declaration) {
        match decl {
            form::Declaration::Facet(decl) => self.facets.add(declared(site, &decl.name, decl)),
            form::Declaration::Schema(decl) => self.schemas.add(declared(site, &decl.name, decl)),
            form::Declaration::Implicit(decl) => {
                let target = decl.call.target.as_str();
                let implicit = declared(site, &decl.name, decl);
                self.implicits.push((target, implicit));
            }
            // A namespace contains no namespaces; the reader of the JSON form refuses them.
            form::Declaration::Namespace(_) => {}
        }
    }
}

fn declared<'a, T>(site: &Arc<Site<'a>>, name: &'a str, decl: T) -> Declared<'a, T> {
    Declared {
        site: Arc::clone(site),
        name,
        decl,
    }
}

impl<'a, F: Copy, S: Copy, I: Copy> Index<'a, F, S, I> {
    fn new() -> Self {
        Self {
            namespaces: BTreeSet::new(),
            facets: Names::new(true),
            schemas: Names::new(false),
            implicits: Vec::new(),
            by_facet: BTreeMap::new(),
        }
    }

    fn namespace(&mut self, site: Site<'a>) -> Arc<Site<'a>> {
        self.namespaces.insert(site.namespace);
        Arc::new(site)
    }

    /// Finds the facet of each implicit, once all facets are known.
    fn finish(&mut self) {
        for (at, (target, implicit)) in self.implicits.iter().enumerate() {
            if let Found::One(facet) = self.facets.resolve(target, &implicit.site) {
                self.by_facet
                    .entry((facet.site.namespace, facet.name))
                    .or_insert(at);
            }
        }
    }

    /// True if a text contains the namespace.
    #[must_use]
    pub fn has_namespace(&self, name: &str) -> bool {
        self.namespaces.contains(name)
    }

    /// The names of all namespaces, sorted.
    pub fn namespaces(&self) -> impl Iterator<Item = &'a str> {
        self.namespaces.iter().copied()
    }

    /// The facet, event facet or workflow that `name` denotes at `site`.
    #[must_use]
    pub fn facet(&self, name: &str, site: &Site<'_>) -> Found<'a, F> {
        self.facets.resolve(name, site)
    }

    /// The schema that `name` denotes at `site`.
    #[must_use]
    pub fn schema(&self, name: &str, site: &Site<'_>) -> Found<'a, S> {
        self.schemas.resolve(name, site)
    }

    /// The first implicit of a facet.
    #[must_use]
    pub fn implicit(&self, facet: &Declared<'_, F>) -> Option<&Declared<'a, I>> {
        let key = (facet.site.namespace, facet.name);
        let at = self.by_facet.get(&key)?;
        Some(&self.implicits[*at].1)
    }
}
