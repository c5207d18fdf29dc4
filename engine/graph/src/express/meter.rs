//! Counts the work of an evaluation, and refuses it before it is done.
//!
//! - **W1** Each node of an expression costs one operation each time it may be evaluated: nodes
//!   outside of macros once, and the body of a macro once for each element of its list. The price of
//!   a macro is due before its first iteration; an early end (`exists`) gives nothing back.
//! - **W2** A value that a call, a list or an object takes costs one operation for each 16 bytes of
//!   text and each element, all levels included. So values that double in each step end soon.
//! - **W3** Once the limit is exceeded, every further charge fails, and the evaluation fails even if
//!   an operator absorbed the error (`true || error` is true).
//!
//! To this end the tree is rewritten: `f(x)` becomes `f(@charge(x))`, and the list of a macro with a
//! body of n nodes becomes `@iterate(list, n)`. Neither name can be written in CEL.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};
use cel::common::types::{CelInt, CelList, CelMap, CelString};
use cel::common::value::{CowVal, Val};
use cel::{Context, ExecutionError, FunctionContext};

const CHARGE: &str = "@charge";
const ITERATE: &str = "@iterate";

/// Bytes of text that cost one operation.
const BYTES: u64 = 16;

/// The operations of one evaluation. Evaluations of one scope follow one another.
#[derive(Debug, Default)]
pub(super) struct Meter {
    spent: AtomicU64,
    most: AtomicU64,
}

impl Meter {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// Begins an evaluation.
    pub(super) fn begin(&self, most: u64) {
        self.spent.store(0, Ordering::Relaxed);
        self.most.store(most, Ordering::Relaxed);
    }

    /// Returns how much is spent, if that is more than the limit.
    pub(super) fn exceeded(&self) -> Option<u64> {
        let spent = self.spent.load(Ordering::Relaxed);
        (spent > self.most.load(Ordering::Relaxed)).then_some(spent)
    }

    pub(super) fn charge(&self, operations: u64) -> Result<(), ExecutionError> {
        // One evaluation is one thread; the counter is atomic because functions must be `Sync`.
        let spent = self
            .spent
            .load(Ordering::Relaxed)
            .saturating_add(operations);
        self.spent.store(spent, Ordering::Relaxed);
        match self.exceeded() {
            Some(_) => Err(ExecutionError::function_error(
                "limit",
                "too many operations",
            )),
            None => Ok(()),
        }
    }

    /// Charges the size of a value, and stops measuring once the limit is exceeded.
    fn measure(&self, value: &dyn Val) -> Result<(), ExecutionError> {
        if let Some(text) = value.downcast_ref::<CelString<'_>>() {
            return self.charge(1 + text.inner().len() as u64 / BYTES);
        }
        self.charge(1)?;
        if let Some(list) = value.downcast_ref::<CelList<'_>>() {
            return list
                .inner()
                .iter()
                .try_for_each(|element| self.measure(&**element));
        }
        if let Some(map) = value.downcast_ref::<CelMap<'_>>() {
            return map.inner().iter().try_for_each(|(key, field)| {
                self.measure(key.inner())?;
                self.measure(&**field)
            });
        }
        Ok(())
    }

    /// Adds the functions that charge to a context.
    pub(super) fn attach(self: &Arc<Self>, context: &mut Context<'_, '_>) {
        let meter = Arc::clone(self);
        let charge: Function = Box::new(move |call| {
            let value = call.args.remove(0);
            meter.measure(value.as_ref())?;
            Ok(value)
        });
        let meter = Arc::clone(self);
        let iterate: Function = Box::new(move |call| {
            let list = call.args.remove(0);
            let body = call
                .args
                .remove(0)
                .downcast_ref::<CelInt>()
                .map_or(0, |body| *body.inner());
            let length = list.as_sizer().map_or(0, |sizer| *sizer.size().inner());
            let nodes = u64::try_from(length.saturating_mul(body)).unwrap_or(u64::MAX);
            meter.charge(nodes)?;
            meter.measure(list.as_ref())?;
            let Some(map) = list.downcast_ref::<CelMap<'_>>() else {
                return Ok(list);
            };
            let mut keys: Vec<_> = map.inner().keys().collect();
            keys.sort();
            let keys: Vec<_> = keys
                .into_iter()
                .map(|key| key.inner().clone_as_boxed())
                .collect();
            Ok(CowVal::owned(CelList::from(keys)))
        });
        for (name, function) in [(CHARGE, charge), (ITERATE, iterate)] {
            context
                .add_function(name, function)
                .expect("no function of CEL begins with @ and this name");
        }
    }
}

type Function = Box<
    dyn for<'c, 'v> Fn(&mut FunctionContext<'c, 'v>) -> Result<CowVal<'c, 'v>, ExecutionError>
        + Send
        + Sync,
>;

/// Rewrites an expression so that its work is charged. Returns the number of its nodes outside of
/// macros, which the caller charges.
pub(super) fn rewrite(node: &mut IdedExpr) -> u64 {
    match &mut node.expr {
        Expr::Literal(_) | Expr::Ident(_) | Expr::Unspecified | Expr::Struct(_) => 1,
        Expr::Select(select) => 1 + rewrite(&mut select.operand),
        Expr::Call(call) => 1 + rewrite_call(call),
        Expr::List(list) => 1 + list.elements.iter_mut().map(charged).sum::<u64>(),
        Expr::Map(map) => {
            let entries = map.entries.iter_mut().map(|entry| match &mut entry.expr {
                EntryExpr::MapEntry(entry) => charged(&mut entry.key) + charged(&mut entry.value),
                EntryExpr::StructField(field) => charged(&mut field.value),
            });
            1 + entries.sum::<u64>()
        }
        Expr::Comprehension(comprehension) => {
            let around =
                rewrite(&mut comprehension.iter_range) + rewrite(&mut comprehension.accu_init);
            let body =
                rewrite(&mut comprehension.loop_cond) + rewrite(&mut comprehension.loop_step);
            let range = std::mem::take(&mut comprehension.iter_range);
            let nodes = i64::try_from(body).unwrap_or(i64::MAX);
            let nodes = Expr::Literal(LiteralValue::Int(CelInt::from(nodes)));
            let args = vec![
                range,
                IdedExpr {
                    id: node.id,
                    expr: nodes,
                },
            ];
            comprehension.iter_range = call(node.id, ITERATE, args);
            1 + around + rewrite(&mut comprehension.result)
        }
    }
}

fn rewrite_call(call: &mut CallExpr) -> u64 {
    // These take a value without looking into it.
    let control = matches!(
        call.func_name.as_str(),
        operators::CONDITIONAL
            | operators::LOGICAL_AND
            | operators::LOGICAL_OR
            | operators::NOT_STRICTLY_FALSE
    );
    let index = call.func_name == operators::INDEX;
    let target = call
        .target
        .iter_mut()
        .map(|target| charged(target))
        .sum::<u64>();
    let args = call.args.iter_mut().enumerate().map(|(place, arg)| {
        if control || (index && place == 0) {
            rewrite(arg)
        } else {
            charged(arg)
        }
    });
    target + args.sum::<u64>()
}

/// Rewrites a value that is taken as a whole. What is computed or built here was charged by its
/// parts, so only what is read from elsewhere is wrapped. This keeps the tree, and the stack of its
/// evaluation, low.
fn charged(node: &mut IdedExpr) -> u64 {
    let reads = match &mut node.expr {
        // The list that a macro builds is not copied in each iteration.
        Expr::Ident(name) => name != "@result",
        Expr::Select(select) => !select.test,
        Expr::Call(call) if call.func_name == operators::INDEX => true,
        Expr::Call(call) if call.func_name == operators::CONDITIONAL => {
            let parts = call.args.iter_mut().enumerate();
            let nodes = parts.map(|(place, part)| {
                if place == 0 {
                    rewrite(part)
                } else {
                    charged(part)
                }
            });
            return 1 + nodes.sum::<u64>();
        }
        _ => false,
    };
    let nodes = rewrite(node);
    if reads {
        let inner = std::mem::take(node);
        *node = call(inner.id, CHARGE, vec![inner]);
    }
    nodes
}

fn call(id: u64, name: &str, args: Vec<IdedExpr>) -> IdedExpr {
    IdedExpr {
        id,
        expr: Expr::Call(CallExpr {
            func_name: name.to_owned(),
            target: None,
            args,
        }),
    }
}
