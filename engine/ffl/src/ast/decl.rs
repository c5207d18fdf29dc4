//! Namespaces and declarations.

use super::{AndThen, Call, Catch, Expr, Ident, Mixin, QName, Script};
use crate::source::{SourceId, Span};

/// One source text.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// The text.
    pub source: SourceId,
    /// Its namespaces and declarations, in text order.
    pub items: Vec<Item>,
}

/// What a file contains.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A namespace.
    Namespace(Namespace),
    /// A declaration at the top level.
    Decl(Decl),
}

/// `namespace name { .. }`
#[derive(Clone, Debug, PartialEq)]
pub struct Namespace {
    /// From the keyword to the closing brace.
    pub span: Span,
    /// Its doc comment.
    pub doc: Option<Doc>,
    /// Its name.
    pub name: QName,
    /// What it contains, in text order.
    pub members: Vec<Member>,
}

impl Namespace {
    /// The imports, in text order.
    pub fn uses(&self) -> impl Iterator<Item = &Use> {
        self.members.iter().filter_map(|member| match member {
            Member::Use(used) => Some(used),
            Member::Decl(_) => None,
        })
    }

    /// The declarations, in text order.
    pub fn decls(&self) -> impl Iterator<Item = &Decl> {
        self.members.iter().filter_map(|member| match member {
            Member::Use(_) => None,
            Member::Decl(decl) => Some(decl),
        })
    }
}

/// What a namespace contains.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// An import.
    Use(Use),
    /// A declaration.
    Decl(Decl),
}

/// `use name`, which imports a namespace.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// The whole import.
    pub span: Span,
    /// The imported namespace.
    pub name: QName,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum Decl {
    /// A facet, an event facet or a workflow.
    Facet(Box<FacetDecl>),
    /// A schema.
    Schema(SchemaDecl),
    /// An implicit.
    Implicit(ImplicitDecl),
}

impl Decl {
    /// Where the declaration is.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Facet(decl) => decl.span,
            Self::Schema(decl) => decl.span,
            Self::Implicit(decl) => decl.span,
        }
    }

    /// The declared name.
    #[must_use]
    pub fn name(&self) -> &Ident {
        match self {
            Self::Facet(decl) => &decl.signature.name,
            Self::Schema(decl) => &decl.name,
            Self::Implicit(decl) => &decl.name,
        }
    }
}

/// A facet, an event facet or a workflow.
#[derive(Clone, Debug, PartialEq)]
pub struct FacetDecl {
    /// From the keyword to the end of the last part.
    pub span: Span,
    /// Its doc comment.
    pub doc: Option<Doc>,
    /// Which of the three it is.
    pub kind: FacetKind,
    /// Its name, parameters, returns and mixins.
    pub signature: Signature,
    /// `script` before the blocks.
    pub pre_script: Option<Script>,
    /// What it contains after the signature and the pre-script.
    pub body: Body,
    /// Its catch.
    pub catch: Option<Catch>,
}

/// The kind of a [`FacetDecl`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FacetKind {
    /// `facet`
    Facet,
    /// `event facet`
    Event,
    /// `workflow`
    Workflow,
}

impl FacetKind {
    /// The keyword or keywords.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Facet => "facet",
            Self::Event => "event facet",
            Self::Workflow => "workflow",
        }
    }
}

/// The body of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Any number of `andThen`, in text order; often none.
    Blocks(Vec<AndThen>),
    /// `prompt { .. }`; the declaration has no pre-script then.
    Prompt(Prompt),
}

/// The name, parameters, returns and mixins of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The declared name.
    pub name: Ident,
    /// The parameters.
    pub params: Vec<Param>,
    /// The returns.
    pub returns: Vec<Param>,
    /// `with ..`
    pub mixins: Vec<Mixin>,
}

/// A parameter or a return: `name: Type = default`.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The whole parameter.
    pub span: Span,
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
    /// Its default.
    pub default: Option<Expr>,
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// The whole type.
    pub span: Span,
    /// The name or the elements.
    pub kind: TypeKind,
}

/// The kind of a [`Type`].
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `[element]`
    Array(Box<Type>),
    /// A builtin type or a schema.
    Name(QName),
}

/// `prompt { .. }`
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// From the keyword to the closing brace.
    pub span: Span,
    /// `system ".."`. Of several, the last one.
    pub system: Option<Directive>,
    /// `template ".."`. Of several, the last one.
    pub template: Option<Directive>,
    /// `model ".."`. Of several, the last one.
    pub model: Option<Directive>,
}

/// One text of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Directive {
    /// From the keyword to the closing quote.
    pub span: Span,
    /// The text, with its escapes resolved.
    pub text: String,
    /// The string literal with its quotes.
    pub text_span: Span,
}

/// `schema Name { field: Type, .. }`
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaDecl {
    /// From the keyword to the closing brace.
    pub span: Span,
    /// Its doc comment.
    pub doc: Option<Doc>,
    /// The declared name.
    pub name: Ident,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// A field of a schema: `name: Type`.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The whole field.
    pub span: Span,
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
}

/// `implicit name = Call(..)`
#[derive(Clone, Debug, PartialEq)]
pub struct ImplicitDecl {
    /// From the keyword to the end of the call.
    pub span: Span,
    /// The declared name.
    pub name: Ident,
    /// The call that gives the values.
    pub call: Call,
}

/// A doc comment, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doc {
    /// The whole comment with its delimiters.
    pub span: Span,
    /// The text without tags, trimmed.
    pub description: String,
    /// `@param name text`, in text order.
    pub params: Vec<DocEntry>,
    /// `@return name text`, in text order.
    pub returns: Vec<DocEntry>,
}

/// One tag of a doc comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocEntry {
    /// The parameter or return.
    pub name: String,
    /// Its description, trimmed.
    pub description: String,
}
