//! Rules that turn events into starts and signals: `triggers.toml`, or code.
//!
//! An event becomes a [`TriggerEvent`]; a matching [`Rule`] makes a [`Plan`] of it: a start or a
//! signal, with a key that is the same if the event is delivered again. **Objects that the engine
//! itself writes never trigger a rule** ([`Own`]): a start writes mail, the mail is an object that
//! was created, and its event would start the next execution. Rules that could match such objects
//! are refused when they are read, and such events whenever they arrive.

mod arrivals;
mod error;
mod event;
mod fields;
mod file;
mod load;
mod memory;
mod near;
mod own;
mod pattern;
mod plan;
mod rule;
mod rules;
mod source;
mod split;
mod template;
#[cfg(test)]
mod tests;
mod trigger;
mod webhook;

pub(crate) use arrivals::TriggerEvents;
pub use error::{Fault, Position, RuleError, RulesError};
pub use event::TriggerEvent;
pub use load::{LoadError, OBJECT, RulesText};
pub(crate) use memory::Budget;
pub use own::Own;
pub use pattern::{Known, Pattern, PatternError};
pub use plan::{Action, Plan, Signals, Starts};
pub(crate) use rule::ActionTemplate;
pub use rule::Rule;
pub use rules::Rules;
pub use source::{On, SourceKind};
pub use split::Each;
pub(crate) use split::{Line, Split};
pub(crate) use template::TemplateError;
pub use trigger::{Absent, SignalAction, Signature, Trigger};
pub(crate) use webhook::SignatureError;
pub use webhook::{Scheme, Secrets, SecretsError};
