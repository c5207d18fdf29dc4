//! Millpond's attribute macros: `#[millpond::workflow]` and `#[millpond::step]`.
//!
//! They add and never rewrite: the marked function stays unchanged and is called as before, and the
//! macro adds its *twin*, a type with the same name, visibility and docs. Rust has separate
//! namespaces for types and values, so `pay(ctx, order)` is the function, `register::<pay>()` the
//! type, and `use shop::pay` imports both. Links in docs distinguish them as `pay()` and
//! `struct@pay`. Everything the macros generate can be written by hand.
//!
//! The generated code for
//! `pub async fn pay(ctx: Context, order: u64, cents: u64) -> Result<bool, Failed>`:
//!
//! - `pub struct pay {}`, which implements `millpond::Workflow`;
//! - `pub struct PayInput { pub order: u64, pub cents: u64 }`, since one value is stored: an
//!   object of the parameters by name. With one parameter, its own type is the input; with none,
//!   the input is `()`.

mod check;
mod emit;
mod expand;
mod faults;
mod marked;
mod naming;
mod options;
mod role;

use proc_macro::TokenStream;

/// Turns an `async fn` of a `Context` and owned values into a workflow.
///
/// Options:
///
/// - `name = "..."`: the stored name, 1 to 128 of `[A-Za-z0-9._-]`; by default the function's
///   name. A later change orphans running executions.
/// - `version = "..."`: 1 to 64 of the same characters; by default `"1"`.
/// - `channels(payment: u64, "order.note": String)`: the channels on which it receives messages, with
///   their types. `Engine::signal` then rejects a message on another channel or of another type
///   before it is written.
///
/// ```
/// use millpond::{Context, Failed, Workflow};
///
/// /// Adds with care.
/// #[millpond::workflow(name = "sum", version = "2")]
/// async fn add(ctx: Context, a: u32, b: u32) -> Result<u32, Failed> {
///     Ok(a + b)
/// }
///
/// assert_eq!((add::NAME, add::VERSION), ("sum", "2"));
/// let _input = AddInput { a: 1, b: 2 };
/// ```
///
/// The error may be any type that converts into `Failed`.
#[proc_macro_attribute]
pub fn workflow(options: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(role::Role::Workflow, options.into(), &item.into()).into()
}

/// Assigns a step name to an `async fn` of owned values, for `ctx.run::<fetch>(&input)`.
///
/// A first parameter of type `Attempt` is provided by the engine and is not part of the input, and neither
/// are the parameters of type `State<T>` after it, which are values of the application (`App::state`). The
/// function can still be used in `ctx.call("name", fetch, &input)`. The only option is
/// `name = "..."`: 1 to 128 of `[A-Za-z0-9_-]`; by default the function's name.
///
/// ```
/// use millpond::{Context, Failed, StepError};
///
/// #[millpond::step]
/// async fn fetch(id: String) -> Result<u64, StepError> {
///     Ok(id.parse()?)
/// }
///
/// #[millpond::workflow]
/// async fn look(ctx: Context, id: String) -> Result<u64, Failed> {
///     Ok(ctx.run::<fetch>(&id).await?)
/// }
/// ```
///
/// The error may be any type that converts into `StepError`.
#[proc_macro_attribute]
pub fn step(options: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(role::Role::Step, options.into(), &item.into()).into()
}
