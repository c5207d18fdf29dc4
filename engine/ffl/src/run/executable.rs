//! A program that can be run: which workflows it has, and what input they take.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::cell::Object;
use super::interpreter::Interpreter;
use super::{Fault, Host, InputError, input};
use crate::ast::FacetKind;
use crate::form::{Declaration, Facet, Program};
use crate::json::Document;
use crate::program::{Declared, FormIndex, Found, Site, digest};
use crate::value::Value;

/// A compiled program and its digest. A copy shares the program.
#[derive(Clone)]
pub struct Executable {
    program: Arc<Program>,
    digest: Arc<str>,
}

impl Executable {
    /// A program as it is stored.
    #[must_use]
    pub fn new(document: Document) -> Self {
        let digest = digest(&document.to_bytes());
        Self {
            program: Arc::new(document.program),
            digest: digest.into(),
        }
    }

    /// The SHA-256 of the stored program, as 64 hexadecimal digits: the version of its workflows.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The compiled program.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The qualified names of its workflows, sorted.
    #[must_use]
    pub fn workflows(&self) -> BTreeSet<String> {
        let kind = FacetKind::Workflow;
        self.facets(kind)
    }

    /// The qualified names of its event facets, sorted: what needs a handler.
    #[must_use]
    pub fn event_facets(&self) -> BTreeSet<String> {
        self.facets(FacetKind::Event)
    }

    fn facets(&self, kind: FacetKind) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for declaration in &self.program.declarations {
            let (prefix, inner) = match declaration {
                Declaration::Namespace(namespace) => (
                    format!("{}.", namespace.name),
                    namespace.declarations.as_slice(),
                ),
                other => (String::new(), std::slice::from_ref(other)),
            };
            for declaration in inner {
                if let Declaration::Facet(facet) = declaration
                    && facet.kind == kind
                {
                    names.insert(format!("{prefix}{}", facet.name));
                }
            }
        }
        names
    }

    /// Checks an input before a start: it has no unknown parameter, and none without a default is
    /// missing.
    ///
    /// # Errors
    /// [`InputError`] names the workflow and the parameter.
    pub fn accepts(&self, workflow: &str, input: &serde_json::Value) -> Result<(), InputError> {
        let index = FormIndex::of_program(&self.program);
        self.input(&index, workflow, input).map(drop)
    }

    fn input<'p>(
        &self,
        index: &FormIndex<'p>,
        workflow: &str,
        input: &serde_json::Value,
    ) -> Result<(Declared<'p, &'p Facet>, Object), InputError> {
        let facet = match index.facet(workflow, &Site::default()) {
            Found::One(facet)
                if facet.decl.kind == FacetKind::Workflow && facet.qualified() == workflow =>
            {
                facet
            }
            _ => {
                let known: Vec<String> = self.workflows().into_iter().collect();
                return Err(InputError::NoWorkflow {
                    workflow: workflow.to_owned(),
                    known: known.join(","),
                });
            }
        };
        let given = input::object(workflow, input)?;
        input::check(workflow, &facet.decl.params, &given)?;
        Ok((facet, given))
    }

    /// Runs a workflow on `host`.
    pub(crate) async fn run(
        &self,
        workflow: &str,
        input: &serde_json::Value,
        host: &dyn Host,
    ) -> Result<Value, Fault> {
        let interpreter = Interpreter::new(&self.program, host);
        let (facet, input) = self
            .input(&interpreter.index, workflow, input)
            .map_err(|error| Fault::new("InvalidInput", error, ""))?;
        interpreter.run(facet, input).await
    }
}

impl fmt::Debug for Executable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executable")
            .field("digest", &self.digest)
            .field("workflows", &self.workflows())
            .finish_non_exhaustive()
    }
}
