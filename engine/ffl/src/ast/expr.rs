//! Calls and expressions.

use super::{Ident, QName};
use crate::source::Span;

/// `target(args) with Mixin(args) as alias`
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// From the target to the end of the last mixin.
    pub span: Span,
    /// The facet or schema.
    pub target: QName,
    /// The arguments as written: of equal names, the last one counts.
    pub args: Vec<Arg>,
    /// `with ..`
    pub mixins: Vec<Mixin>,
}

/// `with target(args) as alias`, of a signature or of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixin {
    /// From `with` to the parenthesis or the alias.
    pub span: Span,
    /// The facet.
    pub target: QName,
    /// The arguments as written: of equal names, the last one counts.
    pub args: Vec<Arg>,
    /// `as alias`
    pub alias: Option<Ident>,
}

/// `name = value`
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    /// The whole argument.
    pub span: Span,
    /// The parameter.
    pub name: Ident,
    /// Its value.
    pub value: Expr,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The whole expression, without parentheses around it.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// The kind of an [`Expr`].
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A string, with its escapes resolved.
    String(String),
    /// An integer; never negative, since a sign is an operator.
    Int(i64),
    /// A double; finite and never negative.
    Double(f64),
    /// `true` or `false`
    Boolean(bool),
    /// `null`
    Null,
    /// `$.a.b` or `step.a.b`
    Ref(Ref),
    /// `a ++ b ++ c`: two or more operands.
    Concat(Vec<Expr>),
    /// `left op right`, for every binary operator but `++`.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `-operand` or `!operand`
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The operand.
        operand: Box<Expr>,
    },
    /// `[a, b]`
    Array(Vec<Expr>),
    /// `#{ key: value }`, as written: of equal keys, the last one counts.
    Map(Vec<Entry>),
    /// `target[index]`
    Index {
        /// The array or object.
        target: Box<Expr>,
        /// The index or key.
        index: Box<Expr>,
    },
}

/// `key: value` of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The whole entry.
    pub span: Span,
    /// Its key.
    pub key: Key,
    /// Its value.
    pub value: Expr,
}

/// The key of an [`Entry`]: an identifier or a string; both denote the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The key, with its escapes resolved.
    pub text: String,
    /// Where it is, with its quotes if it is a string.
    pub span: Span,
}

/// A reference to a parameter or to a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ref {
    /// The whole reference.
    pub span: Span,
    /// What the first identifier of the path names.
    pub kind: RefKind,
    /// The identifiers: at least one for [`RefKind::Input`], at least two for [`RefKind::Step`].
    pub path: Vec<Ident>,
}

/// The kind of a [`Ref`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefKind {
    /// `$.a.b`: the path begins with a parameter.
    Input,
    /// `step.a.b`: the path begins with a step or a foreach variable.
    Step,
}

/// A binary operator, except `++`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `>=`
    Ge,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `<`
    Lt,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
}

impl BinaryOp {
    /// Every operator.
    pub const ALL: [Self; 13] = [
        Self::Or,
        Self::And,
        Self::Eq,
        Self::Ne,
        Self::Ge,
        Self::Le,
        Self::Gt,
        Self::Lt,
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Rem,
    ];

    /// The operator as written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Ge => ">=",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Lt => "<",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
        }
    }
}

/// A unary operator; unary `+` produces no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
}

impl UnaryOp {
    /// The operator as written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Neg => "-",
            Self::Not => "!",
        }
    }
}
