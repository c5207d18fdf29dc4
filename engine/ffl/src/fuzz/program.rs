//! What must hold of a text without syntax errors as a program.

use serde_json::Value;

use crate::form::Program;
use crate::json::{Detail, emit, read};
use crate::program::compile;
use crate::source::{Origin, SourceId, Sources};

/// The checks do not panic, and their errors are sorted and within the text. If there are none, the
/// JSON form is read back to an equal program, and the canonical text has the same form.
pub(super) fn program(sources: &Sources, id: SourceId, canonical: &str) {
    let alone = sources.get(id).text();
    match compile(sources, Detail::FULL) {
        Err(found) => super::errors(&found, sources, usize::MAX),
        Ok(compiled) => {
            super::errors(&compiled.warnings, sources, usize::MAX);
            let again = read(emit(&compiled.program).as_bytes());
            assert_eq!(again.as_ref(), Ok(&compiled.program), "{alone}");
            let (before, now) = (bare(sources), bare(&only(canonical)));
            assert_eq!(now, before, "another form of {alone}");
        }
    }
}

fn only(text: &str) -> Sources {
    let mut sources = Sources::new();
    sources
        .add("canonical.ffl", Origin::Primary, text)
        .expect("about as large as before");
    sources
}

/// The form without ids and locations.
fn bare(sources: &Sources) -> Value {
    let detail = Detail {
        locations: false,
        expressions: false,
        provenance: false,
    };
    let compiled = compile(sources, detail).expect("it was compiled before");
    let mut form = of(&compiled.program);
    without_ids(&mut form);
    form
}

fn of(program: &Program) -> Value {
    serde_json::to_value(program).expect("the form has text keys and finite numbers only")
}

fn without_ids(form: &mut Value) {
    match form {
        Value::Object(properties) => {
            properties.remove("id");
            properties.values_mut().for_each(without_ids);
        }
        Value::Array(items) => items.iter_mut().for_each(without_ids),
        _ => {}
    }
}
