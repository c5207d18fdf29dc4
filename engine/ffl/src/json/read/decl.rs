//! The program, its namespaces and declarations.

use serde_json::Value;

use super::block::{block, catch, script};
use super::expr::{call, expr, mixin};
use super::node::node;
use super::object::{Object, Path, list};
use super::scalar::{ident, qname, text};
use crate::ast::FacetKind;
use crate::check::MAX_DECLARATIONS;
use crate::form::{
    Body, Declaration, Doc, DocEntry, Facet, Field, Implicit, MixinKind, Namespace, Param, Program,
    Prompt, Schema, Type,
};
use crate::json::{ReadError, rank};

/// The lists of older forms, in the order of kinds.
const OLDER: [&str; 6] = [
    "namespaces",
    "facets",
    "eventFacets",
    "workflows",
    "implicits",
    "schemas",
];

pub(super) fn program(value: &Value, path: &Path<'_>) -> Result<Program, ReadError> {
    let object = Object::typed(value, path, "Program")?;
    let program = Program {
        declarations: declarations(&object, true)?,
        node: node(&object)?,
    };
    object.end()?;
    let in_namespaces = program.declarations.iter().map(|declaration| {
        if let Declaration::Namespace(namespace) = declaration {
            namespace.declarations.len()
        } else {
            1
        }
    });
    if in_namespaces.sum::<usize>() > MAX_DECLARATIONS {
        return Err(ReadError::TooManyDeclarations {
            limit: MAX_DECLARATIONS,
        });
    }
    Ok(program)
}

/// The declarations of a program or namespace, in one list or, in older forms, in one per kind.
fn declarations(object: &Object<'_, '_>, top: bool) -> Result<Vec<Declaration>, ReadError> {
    let one = |value: &Value, path: &Path<'_>| declaration(value, path, top);
    let mut all = object.list("declarations", one)?;
    let is_older = !object.has("declarations");
    for name in OLDER
        .into_iter()
        .filter(|name| top || *name != "namespaces")
    {
        // Some older forms have both; the lists per kind repeat the same declarations then.
        let listed = object.list(name, one)?;
        if is_older {
            all.extend(listed);
        }
    }
    all.sort_by_key(rank);
    Ok(all)
}

fn declaration(value: &Value, path: &Path<'_>, top: bool) -> Result<Declaration, ReadError> {
    let (object, ty) = Object::node(value, path)?;
    let declaration = match ty {
        "Namespace" if top => Declaration::Namespace(namespace(&object)?),
        "FacetDecl" => Declaration::Facet(facet(&object, FacetKind::Facet)?),
        "EventFacetDecl" => Declaration::Facet(facet(&object, FacetKind::Event)?),
        "WorkflowDecl" => Declaration::Facet(facet(&object, FacetKind::Workflow)?),
        "ImplicitDecl" => Declaration::Implicit(Implicit {
            name: object.required("name", ident)?,
            call: object.required("call", call)?,
            node: node(&object)?,
        }),
        "SchemaDecl" => Declaration::Schema(Schema {
            name: object.required("name", ident)?,
            doc: object.optional("doc", doc)?,
            fields: object.required("fields", |value, path| list(value, path, field))?,
            node: node(&object)?,
        }),
        _ => return Err(object.unknown_type(ty)),
    };
    object.end()?;
    Ok(declaration)
}

fn namespace(object: &Object<'_, '_>) -> Result<Namespace, ReadError> {
    Ok(Namespace {
        name: object.required("name", qname)?,
        doc: object.optional("doc", doc)?,
        uses: object.list("uses", qname)?,
        declarations: declarations(object, false)?,
        node: node(object)?,
    })
}

fn facet(object: &Object<'_, '_>, kind: FacetKind) -> Result<Box<Facet>, ReadError> {
    let signature = MixinKind::Signature;
    Ok(Box::new(Facet {
        kind,
        name: object.required("name", ident)?,
        doc: object.optional("doc", doc)?,
        params: object.list("params", param)?,
        returns: object.list("returns", param)?,
        mixins: object.list("mixins", |value, path| mixin(signature, value, path))?,
        pre_script: object.optional("pre_script", script)?,
        body: object
            .optional("body", body)?
            .unwrap_or(Body::Blocks(Vec::new())),
        catch: object.optional("catch", catch)?,
        node: node(object)?,
    }))
}

fn param(value: &Value, path: &Path<'_>) -> Result<Param, ReadError> {
    let object = Object::new(value, path)?;
    let param = Param {
        name: object.required("name", ident)?,
        ty: object.required("type", ty)?,
        default: object.optional("default", expr)?,
    };
    object.end()?;
    Ok(param)
}

fn field(value: &Value, path: &Path<'_>) -> Result<Field, ReadError> {
    let object = Object::new(value, path)?;
    let field = Field {
        name: object.required("name", ident)?,
        ty: object.required("type", ty)?,
    };
    object.end()?;
    Ok(field)
}

fn ty(value: &Value, path: &Path<'_>) -> Result<Type, ReadError> {
    if value.is_string() {
        return qname(value, path).map(Type::Name);
    }
    let object = Object::typed(value, path, "ArrayType")?;
    let element = object.required("elementType", ty)?;
    object.end()?;
    Ok(Type::Array(Box::new(element)))
}

/// One block, several, or a prompt.
fn body(value: &Value, path: &Path<'_>) -> Result<Body, ReadError> {
    if value.is_array() {
        return list(value, path, block).map(Body::Blocks);
    }
    let (object, ty) = Object::node(value, path)?;
    if ty != "PromptBlock" {
        return Ok(Body::Blocks(vec![block(value, path)?]));
    }
    let prompt = Prompt {
        system: object.optional("system", text)?,
        template: object.optional("template", text)?,
        model: object.optional("model", text)?,
        node: node(&object)?,
    };
    object.end()?;
    Ok(Body::Prompt(prompt))
}

fn doc(value: &Value, path: &Path<'_>) -> Result<Doc, ReadError> {
    let object = Object::new(value, path)?;
    let doc = Doc {
        description: object.required("description", text)?,
        params: object.list("params", doc_entry)?,
        returns: object.list("returns", doc_entry)?,
    };
    object.end()?;
    Ok(doc)
}

fn doc_entry(value: &Value, path: &Path<'_>) -> Result<DocEntry, ReadError> {
    let object = Object::new(value, path)?;
    let entry = DocEntry {
        name: object.required("name", text)?,
        description: object.required("description", text)?,
    };
    object.end()?;
    Ok(entry)
}
