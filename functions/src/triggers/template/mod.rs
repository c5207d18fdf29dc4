//! Values made from an event.
//!
//! A template is JSON in which texts look into the event:
//!
//! - `"$.detail.object.key"`: a text that begins with `$.` or `$[`, or is `$`, is a path; the
//!   value there takes its place, whatever it is.
//! - `"order-${$.detail.id}"`: a path in `${...}` is put into the text; only texts, numbers,
//!   `true` and `false` can be.
//! - `$$` is a `$` that means nothing: `"$$.50"` is `$.50`.
//!
//! A path goes by names and places: `$.detail['two words'].items[0]`. Where nothing is, the
//! template does not fit and the event is reported; `?` behind the path makes it `null`, or
//! nothing in a text. `| number`, `| text` and `| json` turn what was found into another kind.

mod path;
#[cfg(test)]
mod tests;
mod text;
mod tree;

pub(crate) use tree::{Template, TemplateError};
