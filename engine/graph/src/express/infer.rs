//! Finds what cannot be computed, from the types that are known.
//!
//! A finding is certain: whatever is not known may be of any type.

use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators as op,
};

use super::parse::Parsed;
use super::types::{Type, Types};

/// What cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub message: String,
    /// A field that an object does not have, and the fields that it has.
    pub field: Option<(String, Vec<String>)>,
    /// The object is the state.
    pub of_state: bool,
}

impl Parsed {
    /// Returns the type of the expression, and what in it cannot be computed.
    #[must_use]
    pub fn infer(&self, types: &Types) -> (Type, Vec<Finding>) {
        let mut infer = Infer {
            types,
            bound: Vec::new(),
            findings: Vec::new(),
        };
        let kind = infer.visit(&self.root);
        (kind, infer.findings)
    }
}

struct Infer<'a> {
    types: &'a Types,
    bound: Vec<(String, Type)>,
    findings: Vec<Finding>,
}

impl Infer<'_> {
    fn wrong(&mut self, message: String) -> Type {
        self.findings.push(Finding {
            message,
            field: None,
            of_state: false,
        });
        Type::Any
    }

    fn visit(&mut self, node: &IdedExpr) -> Type {
        match &node.expr {
            Expr::Literal(literal) => match literal {
                LiteralValue::Boolean(_) => Type::Bool,
                LiteralValue::Double(_) => Type::Double,
                LiteralValue::Int(_) => Type::Int,
                LiteralValue::Null => Type::Null,
                LiteralValue::String(_) => Type::Text,
                LiteralValue::UInt(_) => Type::Uint,
                LiteralValue::Bytes(_) => Type::Any,
            },
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) => {
                let of_state = self.is_state(&select.operand);
                let object = self.visit(&select.operand);
                let field = self.field(&object, &select.field, of_state, select.test);
                if select.test { Type::Bool } else { field }
            }
            Expr::Call(call) => self.call(call),
            Expr::List(list) => {
                let elements: Vec<_> = list
                    .elements
                    .iter()
                    .map(|element| self.visit(element))
                    .collect();
                Type::List(Box::new(
                    elements.into_iter().reduce(Type::join).unwrap_or(Type::Any),
                ))
            }
            Expr::Map(map) => {
                let mut object = Some(std::collections::BTreeMap::new());
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else {
                        continue;
                    };
                    self.visit(&entry.key);
                    let value = self.visit(&entry.value);
                    match (&entry.key.expr, &mut object) {
                        (Expr::Literal(LiteralValue::String(name)), Some(fields)) => {
                            fields.insert(name.inner().to_owned(), value);
                        }
                        _ => object = None,
                    }
                }
                object.map_or_else(Type::object, |fields| Type::Object {
                    fields,
                    open: false,
                })
            }
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::Struct(_) | Expr::Unspecified => Type::Any,
        }
    }

    fn variable(&self, name: &str) -> Type {
        if let Some((_, bound)) = self.bound.iter().rev().find(|(bound, _)| bound == name) {
            return bound.clone();
        }
        match name {
            "state" => self.types.state.clone(),
            "result" => self.types.result.clone(),
            "item" => self.types.item.clone(),
            "index" => Type::Int,
            _ => Type::Any,
        }
    }

    fn is_state(&self, node: &IdedExpr) -> bool {
        matches!(&node.expr, Expr::Ident(name) if name == "state" && !self.bound.iter().any(|(bound, _)| bound == name))
    }

    fn field(&mut self, object: &Type, name: &str, of_state: bool, test: bool) -> Type {
        match object {
            Type::Any => Type::Any,
            Type::Object { fields, open } => match fields.get(name) {
                Some(field) => field.clone(),
                // A test for a field that cannot be there is false, and only the state is fixed.
                None if *open || (test && !of_state) => Type::Any,
                None => {
                    let known = fields.keys().cloned().collect();
                    let message = if of_state {
                        format!("the state has no key {name:?}")
                    } else {
                        format!("the object has no field {name:?}")
                    };
                    self.findings.push(Finding {
                        message,
                        field: Some((name.to_owned(), known)),
                        of_state,
                    });
                    Type::Any
                }
            },
            other => self.wrong(format!("{other} has no field {name:?}")),
        }
    }

    fn call(&mut self, call: &CallExpr) -> Type {
        let args: Vec<Type> = call
            .target
            .iter()
            .map(|target| &**target)
            .chain(&call.args)
            .map(|arg| self.visit(arg))
            .collect();
        let name = call.func_name.as_str();
        match (name, args.as_slice()) {
            (op::CONDITIONAL, [condition, yes, no]) => {
                self.expect(condition, &Type::Bool, "a condition");
                yes.clone().join(no.clone())
            }
            (op::LOGICAL_AND | op::LOGICAL_OR, [one, other]) => {
                self.expect(one, &Type::Bool, "an operand of && or ||");
                self.expect(other, &Type::Bool, "an operand of && or ||");
                Type::Bool
            }
            (op::LOGICAL_NOT | op::NOT_STRICTLY_FALSE, [one]) => {
                self.expect(one, &Type::Bool, "the operand of !");
                Type::Bool
            }
            (op::EQUALS | op::NOT_EQUALS, _) => Type::Bool,
            (op::LESS | op::LESS_EQUALS | op::GREATER | op::GREATER_EQUALS, [one, other]) => {
                if !ordered(one, other) {
                    self.wrong(format!("{one} and {other} have no order"));
                }
                Type::Bool
            }
            (op::ADD | op::SUBSTRACT | op::MULTIPLY | op::DIVIDE | op::MODULO, [one, other]) => {
                arithmetic(name, one, other).unwrap_or_else(|| {
                    let sign = name.trim_matches('_');
                    self.wrong(format!("{one} {sign} {other} cannot be computed"))
                })
            }
            (op::NEGATE, [one]) => {
                if !one.may_be_number() || *one == Type::Uint {
                    return self.wrong(format!("- {one} cannot be computed"));
                }
                one.clone()
            }
            (op::IN, [_, list]) => {
                if !matches!(list, Type::Any | Type::List(_) | Type::Object { .. }) {
                    self.wrong(format!("nothing is in {list}"));
                }
                Type::Bool
            }
            (op::INDEX, [object @ (Type::Object { .. } | Type::Any), _]) => {
                let literal = call.args.get(1).map(|key| &key.expr);
                match literal {
                    Some(Expr::Literal(LiteralValue::String(key))) => {
                        let of_state = call
                            .args
                            .first()
                            .is_some_and(|operand| self.is_state(operand));
                        self.field(object, key.inner(), of_state, false)
                    }
                    _ => Type::Any,
                }
            }
            (op::INDEX, [Type::List(element), index]) => {
                if !index.may_be_number() {
                    self.wrong(format!("{index} is not a place of a list"));
                }
                (**element).clone()
            }
            (op::INDEX, [other, _]) => self.wrong(format!("{other} has no elements")),
            ("size", [one]) => {
                if !matches!(
                    one,
                    Type::Any | Type::Text | Type::List(_) | Type::Object { .. }
                ) {
                    self.wrong(format!("{one} has no size"));
                }
                Type::Int
            }
            ("contains" | "startsWith" | "endsWith", [one, other]) => {
                self.expect(one, &Type::Text, name);
                self.expect(other, &Type::Text, name);
                Type::Bool
            }
            ("int", [_]) => Type::Int,
            ("uint", [_]) => Type::Uint,
            ("double", [_]) => Type::Double,
            ("string", [_]) => Type::Text,
            ("bool", [_]) => Type::Bool,
            ("dyn", [_]) => Type::Any,
            _ if name.starts_with(['_', '@', '!', '-']) => Type::Any,
            _ => self.wrong(format!(
                "the function {name} does not take this number of arguments: given={}",
                args.len()
            )),
        }
    }

    fn expect(&mut self, found: &Type, required: &Type, what: &str) {
        if !found.may_be(required) {
            self.wrong(format!("{what} must be {required}, and it is {found}"));
        }
    }

    fn comprehension(&mut self, comprehension: &ComprehensionExpr) -> Type {
        let range = self.visit(&comprehension.iter_range);
        let element = match range {
            Type::Any => Type::Any,
            Type::List(element) => *element,
            Type::Object { .. } => Type::Text,
            other => self.wrong(format!(
                "a macro visits the elements of a list, and this is {other}"
            )),
        };
        let start = self.visit(&comprehension.accu_init);
        let before = self.bound.len();
        // A list begins empty, and its elements become known by the step.
        let start = if matches!(start, Type::List(_)) {
            Type::List(Box::new(Type::Any))
        } else {
            start
        };
        self.bound.push((comprehension.accu_var.clone(), start));
        self.bound.push((comprehension.iter_var.clone(), element));
        self.visit(&comprehension.loop_cond);
        let step = self.visit(&comprehension.loop_step);
        self.bound[before].1 = step;
        let result = self.visit(&comprehension.result);
        self.bound.truncate(before);
        result
    }
}

fn ordered(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Any, _) | (_, Type::Any) => true,
        (one, other) if one.may_be_number() => other.may_be_number(),
        (Type::Text, Type::Text) | (Type::Bool, Type::Bool) => true,
        _ => false,
    }
}

/// The type of an arithmetic expression, if it can be computed.
fn arithmetic(name: &str, one: &Type, other: &Type) -> Option<Type> {
    match (one, other) {
        (Type::Any, Type::Any) => Some(Type::Any),
        (Type::Text, Type::Text | Type::Any) | (Type::Any, Type::Text) if name == op::ADD => {
            Some(Type::Text)
        }
        (Type::List(one), Type::List(other)) if name == op::ADD => {
            let element = if **one == Type::Any {
                (**other).clone()
            } else {
                one.clone().join((**other).clone())
            };
            Some(Type::List(Box::new(element)))
        }
        (Type::List(_), Type::Any) | (Type::Any, Type::List(_)) if name == op::ADD => {
            Some(Type::List(Box::new(Type::Any)))
        }
        (one, other) if one.may_be_number() && other.may_be_number() => {
            if name == op::MODULO && (*one == Type::Double || *other == Type::Double) {
                return None;
            }
            match (one, other) {
                (one, other) if one == other => Some(one.clone()),
                (Type::Number | Type::Any, exact) | (exact, Type::Number | Type::Any) => {
                    Some(exact.clone())
                }
                _ => None,
            }
        }
        _ => None,
    }
}
