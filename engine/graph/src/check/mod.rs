//! `graph check`: everything that is wrong or doubtful in a definition, in one run.
//!
//! A definition is read, then its form is validated by the published schema, then each family of
//! checks looks at it. A text that cannot be read or has not the form of a definition is reported
//! without the later steps, since they would report consequences of the same errors.

mod children;
mod conditions;
mod diagnostic;
mod expressions;
mod form;
mod limits;
mod names;
mod paths;
mod policies;
mod report;
mod schemas;
mod sites;
#[cfg(all(test, feature = "yaml", feature = "toml"))]
mod tests;
mod writes;

pub use diagnostic::{Code, Diagnostic, Severity};
pub use report::{Known, Report, check, check_json};
