//! Blocks and statements.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::{Call, Expr, Node};

/// `andThen ..`
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "AndThenBlock")]
pub struct Block {
    /// What it contains.
    #[serde(flatten)]
    pub kind: BlockKind,
    /// Its id and place.
    #[serde(flatten)]
    pub node: Node,
}

/// The kind of a [`Block`].
#[derive(Clone, Debug, PartialEq)]
pub enum BlockKind {
    /// `andThen { .. }` or `andThen foreach v in list { .. }`
    Statements {
        /// The list, if the block runs once per element.
        foreach: Option<Foreach>,
        /// The statements.
        statements: Statements,
    },
    /// `andThen when { .. }`
    When(When),
    /// `andThen script ..`; never the body of a step.
    Script(Script),
}

/// `foreach variable in iterable`
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "ForeachClause")]
pub struct Foreach {
    /// The name of the element.
    pub variable: String,
    /// The reference that gives the list.
    pub iterable: Expr,
}

/// The steps and yields of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statements {
    /// The steps, in text order.
    pub steps: Vec<Step>,
    /// The yields, in text order.
    pub yields: Vec<Yield>,
}

/// `name = Call(..) andThen .. catch ..`
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "StepStmt")]
pub struct Step {
    /// The name of the step.
    pub name: String,
    /// What it calls.
    pub call: Call,
    /// Its body; never a script.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Box<Block>>,
    /// Its catch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catch: Option<Catch>,
    /// Its id and place.
    #[serde(flatten)]
    pub node: Node,
}

/// `yield Call(..)`
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "YieldStmt")]
pub struct Yield {
    /// The target and its values.
    pub call: Call,
    /// Its id and place.
    #[serde(flatten)]
    pub node: Node,
}

/// `catch { .. }` or `catch when { .. }`
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "CatchClause")]
pub struct Catch {
    /// What it contains.
    #[serde(flatten)]
    pub kind: CatchKind,
    /// Its id and place.
    #[serde(flatten)]
    pub node: Node,
}

/// The kind of a [`Catch`].
#[derive(Clone, Debug, PartialEq)]
pub enum CatchKind {
    /// `catch { .. }`
    Statements(Statements),
    /// `catch when { .. }`
    When(When),
}

/// `when { case .. }`
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "WhenBlock")]
pub struct When {
    /// The cases, in text order.
    pub cases: Vec<Case>,
}

/// `case condition => { .. }`
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// When the case applies.
    pub condition: Condition,
    /// Its statements.
    pub statements: Statements,
}

/// When a [`Case`] applies.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// The expression is true.
    If(Expr),
    /// No other case applies.
    Default,
}

/// `script ..`
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "ScriptBlock")]
pub struct Script {
    /// Always `python`.
    pub language: String,
    /// The code without common indentation.
    pub code: String,
    /// Its id and place.
    #[serde(flatten)]
    pub node: Node,
}

impl Statements {
    fn fields<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        if !self.steps.is_empty() {
            map.serialize_entry("steps", &self.steps)?;
        }
        match self.yields.as_slice() {
            [] => Ok(()),
            [only] => map.serialize_entry("yield", only),
            several => map.serialize_entry("yields", several),
        }
    }
}

impl Serialize for BlockKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Statements {
                foreach,
                statements,
            } => {
                if let Some(foreach) = foreach {
                    map.serialize_entry("foreach", foreach)?;
                }
                statements.fields(&mut map)?;
            }
            Self::When(when) => map.serialize_entry("when", when)?,
            Self::Script(script) => map.serialize_entry("script", script)?,
        }
        map.end()
    }
}

impl Serialize for CatchKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Statements(statements) => statements.fields(&mut map)?,
            Self::When(when) => map.serialize_entry("when", when)?,
        }
        map.end()
    }
}

impl Serialize for Case {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "WhenCase")?;
        match &self.condition {
            Condition::If(condition) => map.serialize_entry("condition", condition)?,
            Condition::Default => map.serialize_entry("default", &true)?,
        }
        self.statements.fields(&mut map)?;
        map.end()
    }
}
