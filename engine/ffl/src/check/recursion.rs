//! W103: facets that call themselves through plain bodies.
//!
//! A plain body is one that runs whenever its facet runs: not of a foreach, a `when` or a catch. A
//! facet that calls itself through such bodies never ends.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::checker::Checker;
use super::target::Target;
use crate::ast::{AndThen, Block, Body, Decl, FacetDecl, File, Item, QName};
use crate::diag::{Code, Diagnostic};
use crate::program::Site;

/// The facets of a program, and which of them calls which.
#[derive(Default)]
struct Graph<'a> {
    facets: Vec<&'a FacetDecl>,
    /// For each facet: the facets that it calls, and the calls.
    calls: Vec<Vec<(usize, &'a QName)>>,
}

impl<'a> Checker<'a> {
    pub(super) fn recursions(&mut self, files: &'a [File]) {
        let graph = self.graph(files);
        let components = components(&graph);
        for (at, facet) in graph.facets.iter().enumerate() {
            let own = components[at];
            let mut members = components.iter().filter(|other| **other == own);
            let call = graph.calls[at]
                .iter()
                .find(|(called, _)| components[*called] == own);
            // A component of one facet is a cycle only if the facet calls itself.
            let Some((called, call)) = call else {
                continue;
            };
            if members.nth(1).is_none() && *called != at {
                continue;
            }
            let name = &facet.signature.name;
            let message = format!("`{name}` calls itself, and nothing ends that");
            self.report(
                Diagnostic::new(Code::W103, name.span, message)
                    .label(call.span, "this call leads back to it")
                    .help("call it in a `when` case or in a foreach"),
            );
        }
    }

    fn graph(&self, files: &'a [File]) -> Graph<'a> {
        let mut graph = Graph::default();
        let mut sites = Vec::new();
        let mut add = |decl: &'a Decl, site: &Arc<Site<'a>>| {
            if let Decl::Facet(facet) = decl {
                graph.facets.push(facet);
                sites.push(Arc::clone(site));
            }
        };
        let top = Arc::new(Site::default());
        for item in files.iter().flat_map(|file| &file.items) {
            match item {
                Item::Decl(decl) => add(decl, &top),
                Item::Namespace(namespace) => {
                    let site = Arc::new(Site::of(namespace));
                    namespace.decls().for_each(|decl| add(decl, &site));
                }
            }
        }
        let numbers: BTreeMap<*const FacetDecl, usize> = graph
            .facets
            .iter()
            .enumerate()
            .map(|(at, facet)| (std::ptr::from_ref(*facet), at))
            .collect();
        for (facet, site) in graph.facets.iter().zip(&sites) {
            let mut names = Vec::new();
            if let Body::Blocks(blocks) = &facet.body {
                blocks
                    .iter()
                    .for_each(|block| plain_calls(block, &mut names));
            }
            let called = names.into_iter().filter_map(|name| {
                let Target::Facet(called) = self.step_target(name, site) else {
                    return None;
                };
                let at = numbers.get(&std::ptr::from_ref(called.decl))?;
                Some((*at, name))
            });
            graph.calls.push(called.collect());
        }
        graph
    }
}

/// The targets of the steps of a plain block whose own bodies run.
fn plain_calls<'a>(and_then: &'a AndThen, names: &mut Vec<&'a QName>) {
    let AndThen::Block {
        foreach: None,
        block: Block { steps, .. },
        ..
    } = and_then
    else {
        return;
    };
    for step in steps {
        match &step.body {
            // The body of a statement replaces that of the facet.
            Some(body) => plain_calls(body, names),
            None => names.push(&step.call.target),
        }
    }
}

/// The number of the strongly connected component of each facet (Tarjan, without recursion).
fn components(graph: &Graph<'_>) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = graph.facets.len();
    let (mut order, mut low, mut component) =
        (vec![NONE; count], vec![NONE; count], vec![NONE; count]);
    let (mut next_order, mut next_component) = (0, 0);
    let mut open = Vec::new();
    for root in 0..count {
        if order[root] != NONE {
            continue;
        }
        // Facets whose calls are being followed, each with the number of calls followed.
        let mut path = vec![(root, 0)];
        while let Some((at, followed)) = path.last_mut() {
            let at = *at;
            if *followed == 0 {
                order[at] = next_order;
                low[at] = next_order;
                next_order += 1;
                open.push(at);
            }
            if let Some((called, _)) = graph.calls[at].get(*followed) {
                *followed += 1;
                if order[*called] == NONE {
                    path.push((*called, 0));
                } else if component[*called] == NONE {
                    low[at] = low[at].min(order[*called]);
                }
                continue;
            }
            path.pop();
            if let Some((caller, _)) = path.last() {
                low[*caller] = low[*caller].min(low[at]);
            }
            if low[at] == order[at] {
                while let Some(member) = open.pop() {
                    component[member] = next_component;
                    if member == at {
                        break;
                    }
                }
                next_component += 1;
            }
        }
    }
    component
}
