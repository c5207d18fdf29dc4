//! One node, compiled.

use std::collections::BTreeMap;

use crate::definition::{
    self, Checkpoint, Expression, History, Init, InvalidId, Kind, Map, Name, Node, Position,
    Revision, Role, Sleep, Span, Stage, StateKey, Which,
};
use crate::express::{Compiled, Names, ParseError, Template, TemplateError};
use crate::limits::Limits;
use crate::state::{InvalidPath, InvalidSchema, Path, Schema};

/// Why a part of a node does not compile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PartError {
    /// An expression.
    #[error(transparent)]
    Expression(#[from] ParseError),
    /// A template.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A schema.
    #[error(transparent)]
    Schema(#[from] InvalidSchema),
    /// A path of a reduction.
    #[error(transparent)]
    Path(#[from] InvalidPath),
    /// A key of a task.
    #[error(transparent)]
    Id(#[from] InvalidId),
}

pub(super) type ByName<K> = Vec<(K, Compiled)>;

/// What a node needs when it begins and when it ends.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Action {
        with: ByName<String>,
        target: Option<StateKey>,
        writes: BTreeMap<String, StateKey>,
    },
    Agent {
        messages: Vec<(Role, Template)>,
        text: Option<StateKey>,
        structured: Option<(StateKey, Schema)>,
    },
    State(ByName<StateKey>),
    Input {
        message: Template,
        schema: Option<Schema>,
        target: StateKey,
    },
    Sleep(Span),
    SleepUntil(Compiled),
    Child {
        child: Box<ChildPart>,
        reduce: Reductions,
    },
    MapOver {
        over: Compiled,
        child: Box<ChildPart>,
        reduce: Reductions,
        limit: u64,
    },
    MapTasks {
        tasks: Compiled,
        reduce: Reductions,
        limit: u64,
    },
    Pipeline {
        children: Vec<ChildPart>,
        reduce: Reductions,
    },
    Join,
}

/// What computes one task.
#[derive(Debug, Clone)]
pub(super) struct ChildPart {
    pub(super) definition: WhichPart,
    pub(super) revision: Option<Revision>,
    pub(super) input: ByName<StateKey>,
    pub(super) inputs: Vec<Name>,
    pub(super) init: Option<InitPart>,
    pub(super) history: History,
}

#[derive(Debug, Clone)]
pub(super) enum WhichPart {
    Literal(Name),
    Computed(Compiled),
}

#[derive(Debug, Clone)]
pub(super) struct InitPart {
    pub(super) from: Compiled,
    pub(super) checkpoint: Checkpoint,
    pub(super) position: Position,
    pub(super) overrides: ByName<StateKey>,
    pub(super) fallback: Option<ByName<StateKey>>,
}

/// Reductions in the order of contributions: by target, the targets by their first mention in the
/// canonical form.
pub(super) type Reductions = Vec<(StateKey, Vec<Path>)>;

/// Compiles one node.
pub(super) struct Compiler<'a> {
    pub(super) limits: &'a Limits,
}

impl Compiler<'_> {
    pub(super) fn node(&self, node: &Node) -> Result<Part, PartError> {
        Ok(match &node.kind {
            Kind::Action(action) => Part::Action {
                with: self.by_name(&action.with, Names::State)?,
                target: action.target.clone(),
                writes: action.writes.clone(),
            },
            Kind::Agent(agent) => {
                let prompt = agent.prompt.iter().map(|text| (Role::User, text));
                let all = prompt.chain(
                    agent
                        .messages
                        .iter()
                        .map(|message| (message.role, &message.text)),
                );
                let messages = all.map(|(role, text)| Ok((role, self.template(text)?)));
                let structured = agent.structured.as_ref().map(|structured| {
                    Schema::compile(&structured.schema)
                        .map(|schema| (structured.key.clone(), schema))
                });
                Part::Agent {
                    messages: messages.collect::<Result<_, PartError>>()?,
                    text: agent.text.clone(),
                    structured: structured.transpose()?,
                }
            }
            Kind::State(keys) => Part::State(self.by_name(keys, Names::State)?),
            Kind::Input(ask) => Part::Input {
                message: self.template(&ask.message)?,
                schema: ask.schema.as_ref().map(Schema::compile).transpose()?,
                target: ask.target.clone(),
            },
            Kind::Sleep(Sleep::For(span)) => Part::Sleep(*span),
            Kind::Sleep(Sleep::Until(until)) => {
                Part::SleepUntil(self.expression(&until.until, Names::State)?)
            }
            Kind::Child(child) => Part::Child {
                child: Box::new(ChildPart {
                    definition: self.which(&child.definition, Names::State)?,
                    revision: child.revision.clone(),
                    input: self.by_name(&child.input, Names::State)?,
                    inputs: child.inputs.clone(),
                    init: self.init(child.init.as_ref(), Names::State)?,
                    history: child.history,
                }),
                reduce: reductions(&child.reduce)?,
            },
            Kind::Map(Map::Over(over)) => Part::MapOver {
                over: self.expression(&over.over, Names::State)?,
                child: Box::new(ChildPart {
                    definition: self.which(&over.definition, Names::Item)?,
                    revision: over.revision.clone(),
                    input: self.by_name(&over.input, Names::Item)?,
                    inputs: over.inputs.clone(),
                    init: self.init(over.init.as_ref(), Names::Item)?,
                    history: over.history,
                }),
                reduce: reductions(&over.reduce)?,
                limit: over.limit.0.get(),
            },
            Kind::Map(Map::Tasks(tasks)) => Part::MapTasks {
                tasks: self.expression(&tasks.tasks, Names::State)?,
                reduce: reductions(&tasks.reduce)?,
                limit: tasks.limit.0.get(),
            },
            Kind::Pipeline(line) => Part::Pipeline {
                children: line
                    .children
                    .iter()
                    .map(|stage| self.stage(stage))
                    .collect::<Result<_, _>>()?,
                reduce: reductions(&line.reduce)?,
            },
            Kind::JoinAll | Kind::JoinFirst => Part::Join,
        })
    }

    pub(super) fn expression(
        &self,
        source: &Expression,
        names: Names,
    ) -> Result<Compiled, PartError> {
        Ok(Compiled::compile(source, names, self.limits)?)
    }

    fn template(&self, source: &definition::Template) -> Result<Template, PartError> {
        Ok(Template::compile(source, self.limits)?)
    }

    fn by_name<K: Clone>(
        &self,
        map: &BTreeMap<K, Expression>,
        names: Names,
    ) -> Result<ByName<K>, PartError> {
        map.iter()
            .map(|(name, source)| Ok((name.clone(), self.expression(source, names)?)))
            .collect()
    }

    fn which(&self, which: &Which, names: Names) -> Result<WhichPart, PartError> {
        Ok(match which {
            Which::Literal(name) => WhichPart::Literal(name.clone()),
            Which::Computed(computed) => {
                WhichPart::Computed(self.expression(&computed.cel, names)?)
            }
        })
    }

    fn init(&self, init: Option<&Init>, names: Names) -> Result<Option<InitPart>, PartError> {
        let Some(init) = init else { return Ok(None) };
        Ok(Some(InitPart {
            from: self.expression(&init.from, names)?,
            checkpoint: init.checkpoint,
            position: init.position,
            overrides: self.by_name(&init.overrides, names)?,
            fallback: init
                .fallback
                .as_ref()
                .map(|fallback| self.by_name(fallback, names))
                .transpose()?,
        }))
    }

    fn stage(&self, stage: &Stage) -> Result<ChildPart, PartError> {
        Ok(ChildPart {
            definition: self.which(&stage.definition, Names::State)?,
            revision: stage.revision.clone(),
            input: self.by_name(&stage.input, Names::State)?,
            inputs: stage.inputs.clone(),
            init: None,
            history: stage.history,
        })
    }
}

fn reductions(reduce: &BTreeMap<String, StateKey>) -> Result<Reductions, PartError> {
    let mut list: Reductions = Vec::new();
    for (path, key) in reduce {
        let path = Path::parse(path)?;
        match list.iter_mut().find(|(target, _)| target == key) {
            Some((_, paths)) => paths.push(path),
            None => list.push((key.clone(), vec![path])),
        }
    }
    Ok(list)
}
