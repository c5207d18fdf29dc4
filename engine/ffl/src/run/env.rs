//! What `$.x` and `step.x` denote where a text is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::{BoxFuture, try_join_all};

use super::Fault;
use super::cell::{Cell, End, Object, error_value};
use crate::form::Statements;
use crate::program::Site;
use crate::value::{Scope, Value};

/// The scopes around a text, from the innermost. A copy shares them.
#[derive(Clone, Debug)]
pub(super) struct Env<'r>(Arc<Node<'r>>);

#[derive(Debug)]
struct Node<'r> {
    outer: Option<Env<'r>>,
    layer: Layer<'r>,
}

#[derive(Debug)]
enum Layer<'r> {
    /// The declaration that contains the text, with the parameters of its call.
    Declaration {
        site: Arc<Site<'r>>,
        params: Arc<Object>,
        /// The parameters of the workflow that was started, unless it is this declaration.
        top: Option<Arc<Object>>,
    },
    /// The catch of a declaration.
    Error(Arc<Fault>),
    /// What the call of a step opens for `$` in its body.
    Inputs(Arc<Object>),
    /// The steps of a block.
    Steps(Arc<Steps<'r>>),
    /// The body or catch of a step, which refers to it without waiting for it.
    Within { name: &'r str, cell: Arc<Cell> },
    /// The element of a foreach.
    Variable { name: &'r str, value: Value },
}

/// The steps of one run of a block.
#[derive(Debug)]
pub(super) struct Steps<'r> {
    by_name: BTreeMap<&'r str, Arc<Cell>>,
}

impl<'r> Steps<'r> {
    pub(super) fn of(block: &'r Statements) -> Arc<Self> {
        let cells = block.steps.iter();
        let cells = cells.map(|step| (step.name.as_str(), Arc::new(Cell::new())));
        Arc::new(Self {
            by_name: cells.collect(),
        })
    }

    /// The cell of a step of this block.
    pub(super) fn cell(&self, name: &str) -> Arc<Cell> {
        Arc::clone(&self.by_name[name])
    }
}

impl<'r> Env<'r> {
    pub(super) fn declaration(
        site: Arc<Site<'r>>,
        params: Arc<Object>,
        top: Option<Arc<Object>>,
    ) -> Self {
        let layer = Layer::Declaration { site, params, top };
        Self(Arc::new(Node { outer: None, layer }))
    }

    fn with(&self, layer: Layer<'r>) -> Self {
        let outer = Some(self.clone());
        Self(Arc::new(Node { outer, layer }))
    }

    pub(super) fn error(&self, fault: Arc<Fault>) -> Self {
        self.with(Layer::Error(fault))
    }

    pub(super) fn inputs(&self, params: Arc<Object>) -> Self {
        self.with(Layer::Inputs(params))
    }

    pub(super) fn steps(&self, steps: Arc<Steps<'r>>) -> Self {
        self.with(Layer::Steps(steps))
    }

    pub(super) fn within(&self, name: &'r str, cell: Arc<Cell>) -> Self {
        self.with(Layer::Within { name, cell })
    }

    pub(super) fn variable(&self, name: &'r str, value: Value) -> Self {
        self.with(Layer::Variable { name, value })
    }

    fn layers(&self) -> impl Iterator<Item = &Layer<'r>> {
        std::iter::successors(Some(self), |env| env.0.outer.as_ref()).map(|env| &env.0.layer)
    }

    /// Where the names of the text are resolved.
    pub(super) fn site(&self) -> Arc<Site<'r>> {
        self.layers()
            .find_map(|layer| match layer {
                Layer::Declaration { site, .. } => Some(Arc::clone(site)),
                _ => None,
            })
            .expect("the outermost layer is a declaration")
    }

    /// The parameters of the workflow that was started.
    pub(super) fn top(&self) -> Option<Arc<Object>> {
        self.layers().find_map(|layer| match layer {
            Layer::Declaration { params, top, .. } => {
                Some(Arc::clone(top.as_ref().unwrap_or(params)))
            }
            _ => None,
        })
    }

    /// Waits until the steps of these names are complete, except those whose body or catch contains
    /// the text. The error is that of a step that failed, as soon as one has.
    pub(super) fn complete(&self, names: &BTreeSet<&str>) -> BoxFuture<'r, End> {
        let cells = names.iter().filter_map(|name| self.awaited(name));
        let ends: Vec<_> = cells
            .map(|cell| async move { cell.ended().await })
            .collect();
        if ends.is_empty() {
            return std::future::ready(Ok(())).boxed();
        }
        try_join_all(ends).map(|ended| ended.map(drop)).boxed()
    }

    fn awaited(&self, step: &str) -> Option<Arc<Cell>> {
        for layer in self.layers() {
            match layer {
                Layer::Within { name, .. } | Layer::Variable { name, .. } if *name == step => {
                    return None;
                }
                Layer::Steps(steps) => {
                    if let Some(cell) = steps.by_name.get(step) {
                        return Some(Arc::clone(cell));
                    }
                }
                _ => {}
            }
        }
        None
    }
}

impl Scope for Env<'_> {
    fn input(&self, name: &str) -> Option<Value> {
        self.layers().find_map(|layer| match layer {
            Layer::Variable { name: of, value } if *of == name => Some(value.clone()),
            Layer::Inputs(params) => params.get(name).cloned(),
            Layer::Error(fault) => error_value(fault, name),
            Layer::Declaration { params, top, .. } => {
                let named = params.get(name);
                named.or_else(|| top.as_ref()?.get(name)).cloned()
            }
            _ => None,
        })
    }

    fn step(&self, step: &str, name: &str) -> Option<Value> {
        for layer in self.layers() {
            match layer {
                Layer::Variable { name: of, value } if *of == step => {
                    return match value {
                        Value::Object(properties) => properties.get(name).cloned(),
                        _ => None,
                    };
                }
                Layer::Within { name: of, cell } if *of == step => return cell.values().get(name),
                Layer::Steps(steps) => {
                    if let Some(cell) = steps.by_name.get(step) {
                        return cell.values().get(name);
                    }
                }
                _ => {}
            }
        }
        None
    }
}
