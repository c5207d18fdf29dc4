//! Calls and expressions.

use std::collections::BTreeSet;

use serde_json::Value;

use super::node::{location, node};
use super::object::{Object, Path, list};
use super::scalar::{boolean, double, ident, int, qname, text};
use crate::ast::{BinaryOp, UnaryOp};
use crate::form::{Arg, Call, Entry, Expr, ExprKind, Mixin, MixinKind};
use crate::json::ReadError;

pub(super) fn call(value: &Value, path: &Path<'_>) -> Result<Call, ReadError> {
    let object = Object::typed(value, path, "CallExpr")?;
    let call = Call {
        target: object.required("target", qname)?,
        args: args(&object)?,
        mixins: object.list("mixins", |value, path| mixin(MixinKind::Call, value, path))?,
        node: node(&object)?,
    };
    object.end()?;
    Ok(call)
}

pub(super) fn mixin(kind: MixinKind, value: &Value, path: &Path<'_>) -> Result<Mixin, ReadError> {
    let ty = match kind {
        MixinKind::Signature => "MixinSig",
        MixinKind::Call => "MixinCall",
    };
    let object = Object::typed(value, path, ty)?;
    let mixin = Mixin {
        kind,
        target: object.required("target", qname)?,
        args: args(&object)?,
        alias: object.optional("alias", ident)?,
    };
    object.end()?;
    Ok(mixin)
}

fn args(object: &Object<'_, '_>) -> Result<Vec<Arg>, ReadError> {
    let mut seen = BTreeSet::new();
    object.list("args", |value, path| {
        let object = Object::new(value, path)?;
        let arg = Arg {
            name: object.required("name", ident)?,
            value: object.required("value", expr)?,
        };
        object.end()?;
        if !seen.insert(arg.name.clone()) {
            return Err(path.unexpected("an argument of another name", &value["name"]));
        }
        Ok(arg)
    })
}

pub(super) fn expr(value: &Value, path: &Path<'_>) -> Result<Expr, ReadError> {
    let (object, ty) = Object::node(value, path)?;
    let boxed = |name| object.required(name, expr).map(Box::new);
    let kind = match ty {
        "String" => ExprKind::String {
            value: object.required("value", text)?,
        },
        "Int" => ExprKind::Int {
            value: object.required("value", int)?,
        },
        "Double" => ExprKind::Double {
            value: object.required("value", double)?,
        },
        "Boolean" => ExprKind::Boolean {
            value: object.required("value", boolean)?,
        },
        "Null" => ExprKind::Null,
        "InputRef" => ExprKind::InputRef {
            path: object.required("path", |value, path| names(1, value, path))?,
        },
        "StepRef" => ExprKind::StepRef {
            path: object.required("path", |value, path| names(2, value, path))?,
        },
        "ConcatExpr" => ExprKind::ConcatExpr {
            operands: object.required("operands", operands)?,
        },
        "BinaryExpr" => ExprKind::BinaryExpr {
            operator: object.required("operator", binary)?,
            left: boxed("left")?,
            right: boxed("right")?,
        },
        "UnaryExpr" => ExprKind::UnaryExpr {
            operator: object.required("operator", unary)?,
            operand: boxed("operand")?,
        },
        "ArrayLiteral" => ExprKind::ArrayLiteral {
            elements: object.required("elements", |value, path| list(value, path, expr))?,
        },
        "MapLiteral" => ExprKind::MapLiteral {
            entries: object.required("entries", entries)?,
        },
        "IndexExpr" => ExprKind::IndexExpr {
            target: boxed("target")?,
            index: boxed("index")?,
        },
        _ => return Err(object.unknown_type(ty)),
    };
    let location = object.optional("location", location)?;
    object.end()?;
    Ok(Expr { kind, location })
}

/// A reference: its path has at least `least` names.
fn names(least: usize, value: &Value, path: &Path<'_>) -> Result<Vec<String>, ReadError> {
    let names = list(value, path, ident)?;
    if names.len() < least {
        return Err(path.unexpected("a longer path", value));
    }
    Ok(names)
}

fn operands(value: &Value, path: &Path<'_>) -> Result<Vec<Expr>, ReadError> {
    let operands = list(value, path, expr)?;
    if operands.len() < 2 {
        return Err(path.unexpected("two or more operands", value));
    }
    Ok(operands)
}

fn entries(value: &Value, path: &Path<'_>) -> Result<Vec<Entry>, ReadError> {
    let mut seen = BTreeSet::new();
    list(value, path, |value, path| {
        let object = Object::new(value, path)?;
        let entry = Entry {
            key: object.required("key", text)?,
            value: object.required("value", expr)?,
        };
        object.end()?;
        if !seen.insert(entry.key.clone()) {
            return Err(path.unexpected("an entry of another key", &value["key"]));
        }
        Ok(entry)
    })
}

fn binary(value: &Value, path: &Path<'_>) -> Result<BinaryOp, ReadError> {
    let op = BinaryOp::ALL
        .iter()
        .find(|op| value.as_str() == Some(op.as_str()));
    op.copied()
        .ok_or_else(|| path.unexpected("a binary operator", value))
}

fn unary(value: &Value, path: &Path<'_>) -> Result<UnaryOp, ReadError> {
    match value.as_str() {
        Some("-") => Ok(UnaryOp::Neg),
        Some("!") => Ok(UnaryOp::Not),
        _ => Err(path.unexpected("a unary operator", value)),
    }
}
