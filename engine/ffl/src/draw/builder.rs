//! From a program to a picture.

use std::collections::{BTreeMap, BTreeSet};

use super::label;
use super::picture::{Edge, Item, Picture, Shape};
use crate::ast::FacetKind;
use crate::form::{
    Block, BlockKind, Body, Catch, CatchKind, Condition, Facet, Program, Statements, Step, When,
    Yield,
};
use crate::program::{Declared, FormIndex, Found, References, Site};

/// The nodes that a text can refer to, by name.
type Known<'p> = BTreeMap<&'p str, usize>;

/// The workflow or facet of this qualified name.
pub(super) fn picture(program: &Program, name: &str) -> Option<Picture> {
    let index = FormIndex::of_program(program);
    let Found::One(facet) = index.facet(name, &Site::default()) else {
        return None;
    };
    if facet.qualified() != name {
        return None;
    }
    let mut builder = Builder {
        index: &index,
        site: &facet.site,
        nodes: 0,
        frames: 0,
        edges: Vec::new(),
    };
    let items = builder.declaration(&facet);
    Some(Picture {
        title: facet.qualified(),
        items,
        edges: builder.edges,
    })
}

struct Builder<'p> {
    index: &'p FormIndex<'p>,
    /// Where the names of the text are resolved.
    site: &'p Site<'p>,
    nodes: usize,
    frames: usize,
    edges: Vec<Edge>,
}

/// What a block belongs to: the declaration or a step.
#[derive(Clone, Copy)]
struct Owner<'p> {
    node: usize,
    step: Option<&'p str>,
}

impl Owner<'_> {
    fn label(&self, block: &str) -> String {
        match self.step {
            Some(step) => format!("{step} {block}"),
            None => block.to_owned(),
        }
    }
}

impl<'p> Builder<'p> {
    fn declaration(&mut self, facet: &Declared<'p, &'p Facet>) -> Vec<Item> {
        let (start, node) = self.node(Shape::Start, &[]);
        let owner = Owner {
            node: start,
            step: None,
        };
        let mut items = vec![node];
        let mut known = Known::new();
        if let Body::Blocks(blocks) = &facet.decl.body {
            for block in blocks {
                items.push(self.block(block, owner, &mut known));
            }
        }
        if let Some(catch) = &facet.decl.catch {
            items.push(self.catch(catch, owner, &Known::new()));
        }
        items
    }

    fn node(&mut self, shape: Shape, lines: &[&str]) -> (usize, Item) {
        let number = self.nodes;
        self.nodes += 1;
        let lines = lines.iter().filter(|line| !line.is_empty());
        let lines = lines.map(|line| label::shorten(line)).collect();
        let node = Item::Node {
            number,
            shape,
            lines,
        };
        (number, node)
    }

    fn frame(&mut self, label: String, items: Vec<Item>) -> Item {
        let number = self.frames;
        self.frames += 1;
        Item::Frame {
            number,
            label,
            items,
        }
    }

    /// A block of `owner`. The steps of a regular one become known to the blocks after it.
    fn block(&mut self, block: &'p Block, owner: Owner<'_>, known: &mut Known<'p>) -> Item {
        match &block.kind {
            BlockKind::Statements {
                foreach: None,
                statements,
            } => {
                let items = self.statements(statements, &[owner.node], known);
                self.frame(owner.label("andThen"), items)
            }
            BlockKind::Statements {
                foreach: Some(foreach),
                statements,
            } => {
                let list = &foreach.iterable;
                let roots = roots(&References::of_expr(list).steps, known, owner.node);
                let mut known = known.clone();
                known.remove(foreach.variable.as_str());
                let items = self.statements(statements, &roots, &mut known);
                let label = format!("foreach {} in {}", foreach.variable, label::expr(list));
                self.frame(owner.label(&label), items)
            }
            BlockKind::When(when) => self.when("when", when, owner, known),
            BlockKind::Script(_) => self.frame(owner.label("script"), Vec::new()),
        }
    }

    fn when(&mut self, label: &str, when: &'p When, owner: Owner<'_>, known: &Known<'p>) -> Item {
        let mut cases = Vec::new();
        for case in &when.cases {
            let (label, roots) = match &case.condition {
                Condition::Default => ("case _".to_owned(), vec![owner.node]),
                Condition::If(condition) => {
                    let names = References::of_expr(condition).steps;
                    let label = format!("case {}", label::expr(condition));
                    (label, roots(&names, known, owner.node))
                }
            };
            let items = self.statements(&case.statements, &roots, &mut known.clone());
            cases.push(self.frame(label, items));
        }
        self.frame(owner.label(label), cases)
    }

    fn catch(&mut self, catch: &'p Catch, owner: Owner<'_>, known: &Known<'p>) -> Item {
        match &catch.kind {
            CatchKind::When(when) => self.when("catch when", when, owner, known),
            CatchKind::Statements(statements) => {
                let items = self.statements(statements, &[owner.node], &mut known.clone());
                self.frame(owner.label("catch"), items)
            }
        }
    }

    /// What refers to no step is drawn below `roots`.
    fn statements(
        &mut self,
        statements: &'p Statements,
        roots: &[usize],
        known: &mut Known<'p>,
    ) -> Vec<Item> {
        let mut items = Vec::new();
        for step in &statements.steps {
            let (number, node) = self.step(step);
            items.push(node);
            known.insert(&step.name, number);
        }
        for step in &statements.steps {
            let number = known[step.name.as_str()];
            let owner = Owner {
                node: number,
                step: Some(&step.name),
            };
            self.edges(&References::of_call(&step.call).steps, known, roots, number);
            if let Some(body) = &step.body {
                items.push(self.block(body, owner, &mut known.clone()));
            }
            if let Some(catch) = &step.catch {
                items.push(self.catch(catch, owner, known));
            }
        }
        for yielded in &statements.yields {
            items.push(self.yielded(yielded, known, roots));
        }
        items
    }

    fn step(&mut self, step: &'p Step) -> (usize, Item) {
        let target = step.call.target.as_str();
        let facet = self.index.facet(target, self.site);
        let shape = match (facet, self.index.schema(target, self.site)) {
            (Found::One(facet), _) => match facet.decl.kind {
                FacetKind::Event => Shape::Event,
                FacetKind::Facet => Shape::Facet,
                FacetKind::Workflow => Shape::Workflow,
            },
            (_, Found::One(_)) => Shape::Schema,
            _ => Shape::Facet,
        };
        self.node(shape, &[&step.name, target])
    }

    fn yielded(&mut self, yielded: &'p Yield, known: &Known<'p>, roots: &[usize]) -> Item {
        let call = &yielded.call;
        let names: Vec<&str> = call.args.iter().map(|arg| arg.name.as_str()).collect();
        let lines = [format!("yield {}", call.target), names.join(", ")];
        let (number, node) = self.node(Shape::Yield, &[&lines[0], &lines[1]]);
        self.edges(&References::of_call(call).steps, known, roots, number);
        node
    }

    /// The references of a node; without any, the arrows from `roots`.
    fn edges(&mut self, names: &BTreeSet<&'p str>, known: &Known<'p>, roots: &[usize], to: usize) {
        let from: Vec<usize> = nodes(names, known).collect();
        let is_reference = !from.is_empty();
        let from = if is_reference { &from } else { roots };
        self.edges.extend(from.iter().map(|from| Edge {
            from: *from,
            to,
            is_reference,
        }));
    }
}

fn nodes<'k>(names: &'k BTreeSet<&str>, known: &'k Known<'_>) -> impl Iterator<Item = usize> + 'k {
    names.iter().filter_map(|name| known.get(name).copied())
}

/// The nodes that a list or a condition refers to, otherwise the node whose block it is.
fn roots(names: &BTreeSet<&str>, known: &Known<'_>, owner: usize) -> Vec<usize> {
    let roots: Vec<usize> = nodes(names, known).collect();
    if roots.is_empty() { vec![owner] } else { roots }
}
