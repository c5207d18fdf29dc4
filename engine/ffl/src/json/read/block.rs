//! Blocks and statements.

use serde_json::Value;

use super::expr::{call, expr};
use super::node::node;
use super::object::{Object, Path, list};
use super::scalar::{ident, text};
use crate::form::{
    Block, BlockKind, Case, Catch, CatchKind, Condition, ExprKind, Foreach, Script, Statements,
    Step, When, Yield,
};
use crate::json::ReadError;

/// A block of a declaration.
pub(super) fn block(value: &Value, path: &Path<'_>) -> Result<Block, ReadError> {
    let object = Object::typed(value, path, "AndThenBlock")?;
    let kind = if object.has("when") {
        BlockKind::When(object.required("when", when)?)
    } else if object.has("script") {
        BlockKind::Script(object.required("script", script)?)
    } else {
        BlockKind::Statements {
            foreach: object.optional("foreach", foreach)?,
            statements: statements(&object)?,
        }
    };
    let node = node(&object)?;
    object.end()?;
    Ok(Block { kind, node })
}

/// The body of a step, which is no script.
fn body(value: &Value, path: &Path<'_>) -> Result<Box<Block>, ReadError> {
    let block = block(value, path)?;
    if matches!(block.kind, BlockKind::Script(_)) {
        return Err(path.unexpected("a block without a script", value));
    }
    Ok(Box::new(block))
}

fn foreach(value: &Value, path: &Path<'_>) -> Result<Foreach, ReadError> {
    let object = Object::typed(value, path, "ForeachClause")?;
    let foreach = Foreach {
        variable: object.required("variable", ident)?,
        iterable: object.required("iterable", |value, path| {
            let list = expr(value, path)?;
            match list.kind {
                ExprKind::InputRef { .. } | ExprKind::StepRef { .. } => Ok(list),
                _ => Err(path.unexpected("a reference", value)),
            }
        })?,
    };
    object.end()?;
    Ok(foreach)
}

fn statements(object: &Object<'_, '_>) -> Result<Statements, ReadError> {
    let steps = object.list("steps", step)?;
    let only = object.optional("yield", yielded)?;
    let yields = match only {
        Some(only) => vec![only],
        None => object.list("yields", yielded)?,
    };
    Ok(Statements { steps, yields })
}

fn step(value: &Value, path: &Path<'_>) -> Result<Step, ReadError> {
    let object = Object::typed(value, path, "StepStmt")?;
    let step = Step {
        name: object.required("name", ident)?,
        call: object.required("call", call)?,
        body: object.optional("body", body)?,
        catch: object.optional("catch", catch)?,
        node: node(&object)?,
    };
    object.end()?;
    Ok(step)
}

fn yielded(value: &Value, path: &Path<'_>) -> Result<Yield, ReadError> {
    let object = Object::typed(value, path, "YieldStmt")?;
    let yielded = Yield {
        call: object.required("call", call)?,
        node: node(&object)?,
    };
    object.end()?;
    Ok(yielded)
}

pub(super) fn catch(value: &Value, path: &Path<'_>) -> Result<Catch, ReadError> {
    let object = Object::typed(value, path, "CatchClause")?;
    let kind = match object.optional("when", when)? {
        Some(when) => CatchKind::When(when),
        None => CatchKind::Statements(statements(&object)?),
    };
    let node = node(&object)?;
    object.end()?;
    Ok(Catch { kind, node })
}

fn when(value: &Value, path: &Path<'_>) -> Result<When, ReadError> {
    let object = Object::typed(value, path, "WhenBlock")?;
    let cases = object.required("cases", |value, path| list(value, path, case))?;
    object.end()?;
    Ok(When { cases })
}

fn case(value: &Value, path: &Path<'_>) -> Result<Case, ReadError> {
    let object = Object::typed(value, path, "WhenCase")?;
    let is_default = object.optional("default", |value, path| match value {
        Value::Bool(true) => Ok(()),
        _ => Err(path.unexpected("true", value)),
    })?;
    let condition = match is_default {
        Some(()) => Condition::Default,
        None => Condition::If(object.required("condition", expr)?),
    };
    let statements = statements(&object)?;
    object.end()?;
    Ok(Case {
        condition,
        statements,
    })
}

pub(super) fn script(value: &Value, path: &Path<'_>) -> Result<Script, ReadError> {
    let object = Object::typed(value, path, "ScriptBlock")?;
    let script = Script {
        language: object.required("language", |value, path| match value.as_str() {
            Some("python") => Ok("python".to_owned()),
            _ => Err(path.unexpected("python", value)),
        })?,
        code: object.required("code", text)?,
        node: node(&object)?,
    };
    object.end()?;
    Ok(script)
}
