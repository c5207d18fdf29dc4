use serde_json::json;

use super::state;
use crate::definition;
use crate::express::{ParseError, Scope, Template, TemplateError};
use crate::limits::Limits;

fn compile(text: &str) -> Result<Template, TemplateError> {
    Template::compile(&definition::Template::new(text), &Limits::default())
}

#[test]
fn a_template_inserts_text_as_it_is_and_other_values_as_canonical_json() {
    let state = state(&json!({"q": "Why \"?\" {{", "n": 1.0, "o": {"b": [1, null], "a": "x"}}));
    for (text, rendered) in [
        ("", ""),
        ("plain } {", "plain } {"),
        ("{{ state.q }}", "Why \"?\" {{"),
        ("a{{state.n}}b{{ state.n }}", "a1.0b1.0"),
        ("{{ state.o }}", "{\"a\":\"x\",\"b\":[1,null]}"),
        ("{{ {'k': {'l': '}}'}} }}!", "{\"k\":{\"l\":\"}}\"}}!"),
        ("{{ '\\'}}' + \"\\\"}}\" }}", "'}}\"}}"),
        ("é{{ 'ü' }}ö", "éüö"),
        ("}} {{ 1 }} }}", "}} 1 }}"),
    ] {
        let template = compile(text).expect(text);
        assert_eq!(
            template.render(&Scope::of(&state)).as_deref(),
            Ok(rendered),
            "{text}"
        );
    }
}

#[test]
fn a_template_is_refused_with_the_offset_of_the_expression() {
    assert_eq!(
        compile("ab {{ 1").expect_err("no end"),
        TemplateError::Open { offset: 3 }
    );
    assert_eq!(
        compile("{{ '}}").expect_err("no end"),
        TemplateError::Open { offset: 0 }
    );
    let error = compile("ab {{ stat.q }}").expect_err("no such name");
    assert!(
        matches!(&error, TemplateError::Expression { offset: 5, source: ParseError::Variable { name, .. } } if name == "stat"),
        "{error}"
    );
    compile("{{ result }}").expect_err("templates have no result");
    compile("{{ }}").expect_err("there is no expression");
}

#[test]
fn a_value_that_is_missing_fails_the_rendering() {
    let empty = state(&json!({}));
    compile("{{ state.q }}")
        .expect("valid")
        .render(&Scope::of(&empty))
        .expect_err("the key is absent");
}
