//! Every expression and template of a definition, with what its place requires.

use std::collections::BTreeMap;

use crate::definition::{
    Definition, Expression, Init, Kind, Map, Node, Sleep, StateKey, Template, When, Which,
};
use crate::express::{Names, Type};
use crate::pointer;

/// An expression and its place.
pub(super) struct Site<'a> {
    pub(super) path: String,
    pub(super) source: &'a Expression,
    pub(super) names: Names,
    pub(super) requires: Type,
    /// The type of `result` or of `item`.
    pub(super) other: Type,
}

/// Returns every expression outside of templates. `item` gives the type of the elements of a list.
pub(super) fn expressions<'a>(
    definition: &'a Definition,
    item: impl Fn(&Expression) -> Type,
) -> Vec<Site<'a>> {
    let mut list = Vec::new();
    for (index, edge) in definition.edges.iter().enumerate() {
        if let When::If(source) = &edge.when {
            let other = definition.nodes.get(&edge.from).map_or(Type::Any, result);
            let path = format!("/edges/{index}/if");
            list.push(Site {
                path,
                source,
                names: Names::Result,
                requires: Type::Bool,
                other,
            });
        }
    }
    for (id, node) in &definition.nodes {
        let mut sites = Sites {
            node: pointer::field("/nodes", id.as_str()),
            names: Names::State,
            other: Type::Any,
            list: &mut list,
        };
        match &node.kind {
            Kind::Action(action) => {
                for (field, source) in &action.with {
                    sites.put(&pointer::field("/with", field), source, Type::Any);
                }
            }
            Kind::State(keys) => {
                for (key, source) in keys {
                    let requires = definition
                        .state
                        .get(key)
                        .map_or(Type::Any, Type::of_contribution);
                    sites.put(&pointer::field("/state", key.as_str()), source, requires);
                }
            }
            Kind::Sleep(Sleep::Until(until)) => sites.put("/sleep/until", &until.until, Type::Text),
            Kind::Child(child) => {
                sites.which("/child", &child.definition);
                sites.by_key("/child/input", &child.input);
                sites.init("/child", child.init.as_ref());
            }
            Kind::Map(Map::Over(over)) => {
                sites.put("/map/over", &over.over, Type::List(Box::new(Type::Any)));
                sites.names = Names::Item;
                sites.other = item(&over.over);
                sites.which("/map", &over.definition);
                sites.by_key("/map/input", &over.input);
                sites.init("/map", over.init.as_ref());
            }
            Kind::Map(Map::Tasks(tasks)) => {
                sites.put(
                    "/map/tasks",
                    &tasks.tasks,
                    Type::List(Box::new(Type::object())),
                );
            }
            Kind::Pipeline(line) => {
                for (index, stage) in line.children.iter().enumerate() {
                    let path = format!("/pipeline/children/{index}");
                    sites.which(&path, &stage.definition);
                    sites.by_key(&format!("{path}/input"), &stage.input);
                }
            }
            _ => {}
        }
    }
    list
}

struct Sites<'a, 'l> {
    node: String,
    names: Names,
    other: Type,
    list: &'l mut Vec<Site<'a>>,
}

impl<'a> Sites<'a, '_> {
    fn put(&mut self, path: &str, source: &'a Expression, requires: Type) {
        let path = format!("{}{path}", self.node);
        self.list.push(Site {
            path,
            source,
            names: self.names,
            requires,
            other: self.other.clone(),
        });
    }

    fn which(&mut self, path: &str, which: &'a Which) {
        if let Which::Computed(computed) = which {
            self.put(&format!("{path}/definition/cel"), &computed.cel, Type::Text);
        }
    }

    fn by_key(&mut self, path: &str, expressions: &'a BTreeMap<StateKey, Expression>) {
        for (key, source) in expressions {
            self.put(&pointer::field(path, key.as_str()), source, Type::Any);
        }
    }

    fn init(&mut self, path: &str, init: Option<&'a Init>) {
        let Some(init) = init else { return };
        self.put(&format!("{path}/init/from"), &init.from, Type::Text);
        self.by_key(&format!("{path}/init/overrides"), &init.overrides);
        if let Some(fallback) = &init.fallback {
            self.by_key(&format!("{path}/init/fallback"), fallback);
        }
    }
}

/// Returns every template with its path.
pub(super) fn templates(definition: &Definition) -> Vec<(String, &Template)> {
    let mut list = Vec::new();
    for (id, node) in &definition.nodes {
        let path = pointer::field("/nodes", id.as_str());
        match &node.kind {
            Kind::Agent(agent) => {
                list.extend(
                    agent
                        .prompt
                        .iter()
                        .map(|prompt| (format!("{path}/prompt"), prompt)),
                );
                let messages = agent.messages.iter().enumerate();
                list.extend(messages.map(|(index, message)| {
                    (format!("{path}/messages/{index}/text"), &message.text)
                }));
            }
            Kind::Input(ask) => list.push((format!("{path}/input/message"), &ask.message)),
            _ => {}
        }
    }
    list
}

/// The type of the result of a node, which the conditions of its edges read.
fn result(node: &Node) -> Type {
    let schema = |schema: Option<&crate::definition::Schema>| {
        schema.map_or(Type::Any, |schema| Type::of_schema(schema.as_json()))
    };
    match &node.kind {
        Kind::Action(_) => Type::Any,
        Kind::Agent(agent) => {
            let usage = Type::closed([("input_tokens", Type::Int), ("output_tokens", Type::Int)]);
            let structured = agent.structured.as_ref();
            let structured = structured
                .map(|structured| ("structured_output", schema(Some(&structured.schema))));
            Type::closed(
                [("output", Type::Text), ("usage", usage)]
                    .into_iter()
                    .chain(structured),
            )
        }
        Kind::Input(ask) => Type::closed([("value", schema(ask.schema.as_ref()))]),
        Kind::Pipeline(_) => Type::closed([
            ("child_states", Type::List(Box::new(Type::object()))),
            ("final_state", Type::object()),
        ]),
        _ => Type::closed([]),
    }
}
