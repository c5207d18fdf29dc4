//! `target[index]` and properties of paths.

use super::{Problem, Value};

/// An element of an array, or a property of an object.
pub(super) fn index(target: &Value, index: &Value) -> Result<Value, Problem> {
    match (target, index) {
        (Value::Array(elements), Value::Int(index)) => {
            let length = elements.len();
            let at = if *index < 0 {
                // A negative index counts from the end.
                let back = usize::try_from(index.unsigned_abs()).ok();
                back.and_then(|back| length.checked_sub(back))
            } else {
                usize::try_from(*index).ok()
            };
            let element = at.and_then(|at| elements.get(at));
            element.cloned().ok_or(Problem::NoElement {
                index: *index,
                length,
            })
        }
        (Value::Object(properties), Value::String(key)) => {
            let property = properties.get(key);
            property.cloned().ok_or_else(|| Problem::NoKey {
                key: key.to_string(),
            })
        }
        _ => Err(Problem::NotIndexable {
            target: target.kind(),
            index: index.kind(),
        }),
    }
}

/// The value at the end of a path whose first `known` parts have the value `value`.
pub(super) fn follow(
    value: Value,
    sigil: &str,
    path: &[String],
    known: usize,
) -> Result<Value, Problem> {
    let text = |parts: usize| format!("{sigil}{}", path[..parts].join("."));
    let mut value = value;
    for (at, name) in path.iter().enumerate().skip(known) {
        value = match &value {
            Value::Object(properties) => match properties.get(name.as_str()) {
                Some(property) => property.clone(),
                None => {
                    return Err(Problem::NoProperty {
                        path: text(path.len()),
                        part: text(at + 1),
                    });
                }
            },
            Value::Null => {
                return Err(Problem::ThroughNull {
                    path: text(path.len()),
                    part: text(at),
                });
            }
            other => {
                return Err(Problem::NoObject {
                    path: text(path.len()),
                    part: text(at),
                    kind: other.kind(),
                });
            }
        };
    }
    Ok(value)
}
