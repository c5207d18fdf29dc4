//! Calls and expressions.

use serde::{Serialize, Serializer};

use super::{Location, Node};
use crate::ast::{BinaryOp, UnaryOp};

/// `target(args) with Mixin(args) as alias`
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "CallExpr")]
pub struct Call {
    /// The facet or schema, as written.
    pub target: String,
    /// The arguments; no two have one name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Arg>,
    /// `with ..`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mixins: Vec<Mixin>,
    /// Its id and place.
    #[serde(flatten)]
    pub node: Node,
}

/// `name = value`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Arg {
    /// The parameter.
    pub name: String,
    /// Its value.
    pub value: Expr,
}

/// `with target(args) as alias`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mixin {
    /// Of a signature or of a call.
    #[serde(rename = "type")]
    pub kind: MixinKind,
    /// The facet, as written.
    pub target: String,
    /// The arguments; no two have one name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Arg>,
    /// `as alias`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
}

/// What a [`Mixin`] belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum MixinKind {
    /// A signature.
    #[serde(rename = "MixinSig")]
    Signature,
    /// A call.
    #[serde(rename = "MixinCall")]
    Call,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expr {
    /// What it is.
    #[serde(flatten)]
    pub kind: ExprKind,
    /// Where it is, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// The kind of an [`Expr`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type")]
pub enum ExprKind {
    /// A string.
    String {
        /// Its value.
        value: String,
    },
    /// An integer; never negative, since a sign is an operator.
    Int {
        /// Its value.
        value: i64,
    },
    /// A double.
    Double {
        /// Its value, which is finite.
        value: f64,
    },
    /// `true` or `false`
    Boolean {
        /// Its value.
        value: bool,
    },
    /// `null`
    Null,
    /// `$.a.b`
    InputRef {
        /// A parameter, then properties; at least one.
        path: Vec<String>,
    },
    /// `step.a.b`
    StepRef {
        /// A step or a foreach variable, then properties; at least two.
        path: Vec<String>,
    },
    /// `a ++ b ++ c`
    ConcatExpr {
        /// Two or more.
        operands: Vec<Expr>,
    },
    /// `left op right`
    BinaryExpr {
        /// The operator.
        #[serde(serialize_with = "binary_operator")]
        operator: BinaryOp,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `-operand` or `!operand`
    UnaryExpr {
        /// The operator.
        #[serde(serialize_with = "unary_operator")]
        operator: UnaryOp,
        /// The operand.
        operand: Box<Expr>,
    },
    /// `[a, b]`
    ArrayLiteral {
        /// The elements.
        elements: Vec<Expr>,
    },
    /// `#{ key: value }`
    MapLiteral {
        /// The entries; no two have one key.
        entries: Vec<Entry>,
    },
    /// `target[index]`
    IndexExpr {
        /// The array or object.
        target: Box<Expr>,
        /// The index or key.
        index: Box<Expr>,
    },
}

/// `key: value` of a map.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: Expr,
}

fn binary_operator<S: Serializer>(op: &BinaryOp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(op.as_str())
}

fn unary_operator<S: Serializer>(op: &UnaryOp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(op.as_str())
}
