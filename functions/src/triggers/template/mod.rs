//! Values derived from an event.
//!
//! A template is JSON in which texts refer to the event:
//!
//! - `"$.detail.object.key"`: a text that begins with `$.` or `$[`, or is `$`, is a path, and is
//!   replaced by the value there, of any type.
//! - `"order-${$.detail.id}"`: a path in `${...}` is replaced by its value, which must be a text,
//!   a number, `true` or `false`.
//! - `$$` is a plain `$`: `"$$.50"` is `$.50`.
//!
//! A path is a JSONPath query (RFC 9535, without functions) that selects one value, such as
//! `$.detail['two words'].items[0]`. Names after a dot may contain `-`. If there is no value, the
//! event is reported; a `?` after the path turns it into `null`, or into an empty text. `| number`,
//! `| text` and `| json` convert the value.

mod path;
#[cfg(test)]
mod tests;
mod text;
mod tree;

pub(crate) use tree::{Template, TemplateError};
