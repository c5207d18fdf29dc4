//! Types: E204 to E206, and what is known of a value before it exists.

use super::checker::Checker;
use crate::ast::{SchemaDecl, Type, TypeKind};
use crate::diag::{Code, Diagnostic};
use crate::program::{Candidates, Declared, Found, Site};

/// The types that need no declaration.
pub(super) const BUILTIN: [&str; 6] = ["String", "Int", "Long", "Double", "Boolean", "Json"];

/// What is known of a value.
#[derive(Clone, Debug)]
pub(super) enum Ty<'a> {
    String,
    Int,
    Long,
    Double,
    Boolean,
    Null,
    Array,
    Map,
    Schema(Declared<'a, &'a SchemaDecl>),
    /// Nothing: never an error.
    Unknown,
}

impl Ty<'_> {
    /// The type, for a message.
    pub(super) fn name(&self) -> String {
        let name = match self {
            Self::String => "String",
            Self::Int => "Int",
            Self::Long => "Long",
            Self::Double => "Double",
            Self::Boolean => "Boolean",
            Self::Null => "null",
            Self::Array => "array",
            Self::Map => "map",
            Self::Schema(schema) => return format!("schema {}", schema.name),
            Self::Unknown => "unknown",
        };
        name.to_owned()
    }

    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }
}

impl<'a> Checker<'a> {
    /// The type that a text at `site` names.
    pub(super) fn declared_type(&self, ty: &Type, site: &Site<'a>) -> Ty<'a> {
        let name = match &ty.kind {
            TypeKind::Array(_) => return Ty::Array,
            TypeKind::Name(name) => name,
        };
        match name.text.as_str() {
            "String" => Ty::String,
            "Int" => Ty::Int,
            "Long" => Ty::Long,
            "Double" => Ty::Double,
            "Boolean" => Ty::Boolean,
            "Json" => Ty::Unknown,
            schema => self
                .index
                .schema(schema, site)
                .one()
                .map_or(Ty::Unknown, Ty::Schema),
        }
    }

    /// E204, E205, E206: a type that denotes nothing, or several schemas.
    pub(super) fn check_type(&mut self, ty: &'a Type, site: &Site<'a>) {
        let name = match &ty.kind {
            TypeKind::Array(element) => return self.check_type(element, site),
            TypeKind::Name(name) => name,
        };
        if BUILTIN.contains(&name.text.as_str()) {
            return;
        }
        match self.index.schema(&name.text, site) {
            Found::One(_) => {}
            Found::Ambiguous(candidates) => {
                self.report(ambiguous_schema(name, &candidates));
            }
            Found::None if name.is_qualified() => {
                let message = format!("there is no schema `{name}`");
                self.report(Diagnostic::new(Code::E206, name.span, message).help(
                    "declare it in that namespace, or add the file or library that contains it",
                ));
            }
            Found::None => {
                let message = format!("`{name}` is neither a builtin type nor a schema");
                let help = match BUILTIN
                    .iter()
                    .find(|builtin| builtin.eq_ignore_ascii_case(&name.text))
                {
                    Some(builtin) => format!("write `{builtin}`"),
                    None => format!(
                        "declare `schema {name} {{ .. }}`, or use one of {}",
                        BUILTIN.join(", ")
                    ),
                };
                self.report(Diagnostic::new(Code::E205, name.span, message).help(help));
            }
        }
    }
}

/// E204
pub(super) fn ambiguous_schema(name: &crate::ast::QName, candidates: &Candidates) -> Diagnostic {
    let message = format!("the schema `{name}` is ambiguous: candidates={candidates}");
    Diagnostic::new(Code::E204, name.span, message).help("write its qualified name")
}
