//! The program, its namespaces and declarations.

use serde::{Serialize, Serializer};

use super::{Block, Catch, Expr, Mixin, Node, Script};
use crate::ast::FacetKind;

/// A compiled program.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type")]
pub struct Program {
    /// Namespaces, facets, event facets, workflows, implicits and schemas, each in text order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub declarations: Vec<Declaration>,
    /// Its id, and the range of its first text.
    #[serde(flatten)]
    pub node: Node,
}

/// A namespace or declaration.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Declaration {
    /// A namespace; only at the top level.
    Namespace(Namespace),
    /// A facet, an event facet or a workflow.
    Facet(Box<Facet>),
    /// An implicit.
    Implicit(Implicit),
    /// A schema.
    Schema(Schema),
}

/// One block of a namespace; several may have one name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type")]
pub struct Namespace {
    /// Its name.
    pub name: String,
    /// Its doc comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<Doc>,
    /// The names of the imported namespaces, in text order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<String>,
    /// Its declarations, ordered like those of a [`Program`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub declarations: Vec<Declaration>,
    /// Its id and place.
    #[serde(flatten)]
    pub node: Node,
}

/// A facet, an event facet or a workflow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Facet {
    /// Which of the three it is.
    #[serde(rename = "type", serialize_with = "facet_type")]
    pub kind: FacetKind,
    /// Its name.
    pub name: String,
    /// Its doc comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<Doc>,
    /// The parameters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<Param>,
    /// The returns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub returns: Vec<Param>,
    /// `with ..`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mixins: Vec<Mixin>,
    /// `script` before the blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pre_script: Option<Script>,
    /// Its blocks or its prompt.
    #[serde(skip_serializing_if = "Body::is_empty")]
    pub body: Body,
    /// Its catch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catch: Option<Catch>,
    /// Its id and place.
    #[serde(flatten)]
    pub node: Node,
}

/// A parameter or a return.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Its default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Expr>,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A builtin type or a schema, as written.
    Name(String),
    /// `[element]`
    Array(Box<Type>),
}

/// The body of a [`Facet`].
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Any number of blocks, in text order.
    Blocks(Vec<Block>),
    /// `prompt { .. }`
    Prompt(Prompt),
}

/// `prompt { .. }`
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "PromptBlock")]
pub struct Prompt {
    /// `system`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// `template`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// `model`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its id and place.
    #[serde(flatten)]
    pub node: Node,
}

/// `schema Name { .. }`
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "SchemaDecl")]
pub struct Schema {
    /// Its name.
    pub name: String,
    /// Its doc comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<Doc>,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Its id and place.
    #[serde(flatten)]
    pub node: Node,
}

/// A field of a [`Schema`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Type,
}

/// `implicit name = Call(..)`
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "ImplicitDecl")]
pub struct Implicit {
    /// Its name.
    pub name: String,
    /// The call that gives the values.
    pub call: super::Call,
    /// Its id and place.
    #[serde(flatten)]
    pub node: Node,
}

/// A doc comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Doc {
    /// The text without tags.
    pub description: String,
    /// `@param name text`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<DocEntry>,
    /// `@return name text`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub returns: Vec<DocEntry>,
}

/// One tag of a [`Doc`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DocEntry {
    /// The parameter or return.
    pub name: String,
    /// Its description.
    pub description: String,
}

impl Body {
    fn is_empty(&self) -> bool {
        matches!(self, Self::Blocks(blocks) if blocks.is_empty())
    }
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Prompt(prompt) => prompt.serialize(serializer),
            Self::Blocks(blocks) => match blocks.as_slice() {
                [only] => only.serialize(serializer),
                several => several.serialize(serializer),
            },
        }
    }
}

impl Serialize for Type {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(tag = "type", rename_all = "camelCase")]
        struct ArrayType<'a> {
            element_type: &'a Type,
        }
        match self {
            Self::Name(name) => serializer.serialize_str(name),
            Self::Array(element_type) => ArrayType { element_type }.serialize(serializer),
        }
    }
}

/// The value of `type` in the JSON form.
pub(crate) fn type_of_kind(kind: FacetKind) -> &'static str {
    match kind {
        FacetKind::Facet => "FacetDecl",
        FacetKind::Event => "EventFacetDecl",
        FacetKind::Workflow => "WorkflowDecl",
    }
}

fn facet_type<S: Serializer>(kind: &FacetKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(type_of_kind(*kind))
}
