//! What a text may refer to.

use std::sync::Arc;

use super::inputs::{Input, Inputs};
use super::some::{SOME, some};
use super::steps::{Siblings, Steps};
use super::target::Target;
use crate::ast::{FacetDecl, Ident, Step};
use crate::program::Site;

/// A layer of what can be referred to, in an outer scope.
#[derive(Clone, Copy)]
pub(super) struct Scope<'e, 'a> {
    outer: Option<&'e Scope<'e, 'a>>,
    layer: Layer<'e, 'a>,
}

#[derive(Clone, Copy)]
pub(super) enum Layer<'e, 'a> {
    /// The declaration that contains the text; `None` for an implicit.
    Declaration {
        site: &'e Arc<Site<'a>>,
        decl: Option<&'a FacetDecl>,
        inputs: &'e Inputs<'a>,
    },
    /// The catch of the declaration.
    Catch,
    /// The blocks of the declaration. The regular ones before `at` can be referred to if `open`.
    Siblings {
        blocks: &'e Siblings<'a>,
        at: usize,
        open: bool,
    },
    /// The steps of a block, of which the first `seen` can be referred to.
    Steps {
        steps: &'e Steps<'a>,
        seen: usize,
        /// Whether the text is in the call of the step after them.
        in_call: bool,
    },
    /// The body of a step.
    Body {
        step: &'a Step,
        target: &'e Target<'a>,
        /// What the step opens for `$`.
        inputs: Option<&'e Inputs<'a>>,
    },
    /// The catch of a step, which opens nothing for `$`.
    StepCatch {
        step: &'a Step,
        target: &'e Target<'a>,
    },
    /// The element of a foreach.
    Variable(&'a Ident),
}

/// What the first identifier of `step.x` denotes.
pub(super) enum StepName<'a> {
    Step(&'a Step),
    Variable,
    /// The step that contains the reference in its call.
    Itself,
    /// A step after the one that contains the reference.
    Later(&'a Step),
    /// A step of another block of the declaration.
    Sibling(&'a Step),
    None,
}

/// What the first identifier of `$.x` denotes.
pub(super) enum InputName<'a> {
    Input(Input<'a>),
    Variable,
    /// `$.error` or `$.error_type` in the catch of a declaration.
    Error,
    /// Nothing, but a script may add it.
    Script,
    None,
}

impl<'e, 'a> Scope<'e, 'a> {
    pub(super) fn declaration(
        site: &'e Arc<Site<'a>>,
        decl: Option<&'a FacetDecl>,
        inputs: &'e Inputs<'a>,
    ) -> Self {
        Self {
            outer: None,
            layer: Layer::Declaration { site, decl, inputs },
        }
    }

    pub(super) fn with(&'e self, layer: Layer<'e, 'a>) -> Self {
        Self {
            outer: Some(self),
            layer,
        }
    }

    /// The layers, from the innermost.
    fn layers(&self) -> impl Iterator<Item = Layer<'e, 'a>> {
        std::iter::successors(Some(*self), |scope| scope.outer.copied()).map(|scope| scope.layer)
    }

    pub(super) fn site(&self) -> &'e Arc<Site<'a>> {
        self.layers()
            .find_map(|layer| match layer {
                Layer::Declaration { site, .. } => Some(site),
                _ => None,
            })
            .expect("the outermost layer is a declaration")
    }

    pub(super) fn decl(&self) -> Option<&'a FacetDecl> {
        self.layers().find_map(|layer| match layer {
            Layer::Declaration { decl, .. } => decl,
            _ => None,
        })
    }

    /// The innermost step whose body or catch contains the text.
    pub(super) fn container(&self) -> Option<(&'a Step, &'e Target<'a>)> {
        self.layers().find_map(|layer| match layer {
            Layer::Body { step, target, .. } | Layer::StepCatch { step, target } => {
                Some((step, target))
            }
            _ => None,
        })
    }

    /// True if the text is in the catch of `step`.
    pub(super) fn is_in_catch_of(&self, step: &Step) -> bool {
        self.layers().any(
            |layer| matches!(layer, Layer::StepCatch { step: of, .. } if std::ptr::eq(of, step)),
        )
    }

    pub(super) fn step(&self, name: &str) -> StepName<'a> {
        let mut reason = StepName::None;
        for layer in self.layers() {
            let (found, hidden) = match layer {
                Layer::Variable(variable) if variable.text == name => return StepName::Variable,
                Layer::Steps {
                    steps,
                    seen,
                    in_call,
                } => match steps.find(name) {
                    Some((at, step)) if at < seen => return StepName::Step(step),
                    Some((at, _)) if in_call && at == seen => (None, Some(StepName::Itself)),
                    Some((_, step)) => (None, Some(StepName::Later(step))),
                    None => (None, None),
                },
                Layer::Siblings { blocks, at, open } => {
                    let earlier = open.then(|| blocks.regular_before(at, name));
                    let hidden = || blocks.beside(at, name).map(StepName::Sibling);
                    match earlier.flatten() {
                        Some(step) => (Some(step), None),
                        None => (None, hidden()),
                    }
                }
                _ => (None, None),
            };
            if let Some(step) = found {
                return StepName::Step(step);
            }
            if let (StepName::None, Some(hidden)) = (&reason, hidden) {
                reason = hidden;
            }
        }
        reason
    }

    pub(super) fn input(&self, name: &str) -> InputName<'a> {
        let is_error = matches!(name, "error" | "error_type");
        let mut scripted = false;
        for layer in self.layers() {
            let inputs = match layer {
                Layer::Variable(variable) if variable.text == name => return InputName::Variable,
                Layer::Catch if is_error => return InputName::Error,
                Layer::Body {
                    inputs: Some(inputs),
                    ..
                }
                | Layer::Declaration { inputs, .. } => inputs,
                _ => continue,
            };
            if let Some(input) = inputs.find(name) {
                return InputName::Input(input);
            }
            scripted |= inputs.scripted;
        }
        // A script cannot run before an error is caught: what it adds is not `$.error`.
        if scripted && !is_error {
            InputName::Script
        } else {
            InputName::None
        }
    }

    /// Some of the names that `$` has, for a message; none if there are none.
    pub(super) fn input_names(&self) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        for layer in self.layers() {
            match layer {
                Layer::Variable(variable) => names.push(&variable.text),
                Layer::Body {
                    inputs: Some(inputs),
                    ..
                }
                | Layer::Declaration { inputs, .. } => names.extend(inputs.some_names(SOME + 1)),
                _ => {}
            }
        }
        names.sort_unstable();
        names.dedup();
        (!names.is_empty()).then(|| some(names))
    }
}
