//! Expressions that would take too much time, memory or stack.

use serde_json::{Value, json};

use super::{EvaluateError, Names, ParseError, compile, value};

fn exceeded(outcome: &Result<Value, EvaluateError>) -> bool {
    matches!(outcome, Err(EvaluateError::Limit { limit, .. }) if limit.name == "operations")
}

#[test]
fn l1_nested_macros_end_at_the_limit_of_operations() {
    let values = json!({"list": (0..100).collect::<Vec<_>>()});
    let ten_thousand = "state.list.map(a, state.list.map(b, a))";
    assert!(value(ten_thousand, &values).is_ok());
    for source in [
        "state.list.map(a, state.list.map(b, state.list.map(c, state.list.map(d, 1))))",
        "state.list.all(a, state.list.all(b, state.list.all(c, a + b + c >= 0)))",
        "state.list.exists(a, state.list.exists(b, state.list.exists(c, a + b + c < 0)))",
        "state.list.filter(a, size(state.list.filter(b, size(state.list.filter(c, c > b)) > a)) > 0)",
    ] {
        assert!(exceeded(&value(source, &values)), "{source}");
    }
}

#[test]
fn l1_values_that_double_end_at_the_limit_of_operations() {
    let doubled =
        |start: &str, step: &str| format!("[{start}]{}", format!(".map(x, {step})").repeat(9));
    let values = json!({"big": "x".repeat(200_000), "list": (0..1000).collect::<Vec<_>>()});
    for source in [
        doubled("'0123456789'", "x + x + x + x"),
        doubled("[1]", "x + x + x + x"),
        doubled("[1]", "[x, x, x, x]"),
        doubled("{'a': 1}", "{'a': x, 'b': x, 'c': x, 'd': x}"),
        "state.list.map(x, state.big)".to_owned(),
        "state.list.map(x, state.big + 'y')".to_owned(),
        "state.list.filter(x, state.big == state.big + 'y')".to_owned(),
        "state.list.exists(x, state.big.contains('abc'))".to_owned(),
        "state.list.all(x, size(state.big) > 0)".to_owned(),
        "state.list.all(x, x in state.list)".to_owned(),
        "state.list.exists(x, state.big - 1 > 0)".to_owned(),
        "state.list.map(x, {'k': state.list})".to_owned(),
        "state.list.map(x, state.list)".to_owned(),
    ] {
        let outcome = value(&source, &values);
        assert!(
            exceeded(&outcome),
            "{source}: {:.200?}",
            outcome.map(|_| ())
        );
    }
}

#[test]
fn an_operator_that_absorbs_errors_does_not_absorb_the_limit() {
    let values = json!({"list": (0..1000).collect::<Vec<_>>()});
    let long = "state.list.all(a, state.list.all(b, a + b >= 0))";
    for source in [
        format!("{long} || true"),
        format!("!({long} && false)"),
        format!("[1, 2].exists(x, {long} || x == 2)"),
    ] {
        assert!(exceeded(&value(&source, &values)), "{source}");
    }
}

#[test]
fn l1_an_expression_over_4_kib_is_refused_by_name() {
    let fits = format!("'{}'", "x".repeat(4094));
    compile(&fits, Names::State).expect("4 KiB fit");
    let error = compile(&format!("{fits} "), Names::State).expect_err("a byte more does not");
    assert!(
        matches!(error, ParseError::Limit(limit) if (limit.name, limit.found, limit.most) == ("expression", 4097, 4096))
    );
}

#[test]
fn l2_deep_expressions_are_refused_and_exhaust_no_stack() {
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("[", "1", "]"),
        ("{'a': ", "1", "}"),
        ("size(", "''", ")"),
        ("-(", "1", ")"),
        ("!", "true", ""),
        ("-", "1", ""),
        ("1 + ", "1", ""),
        ("1 - (", "1", ")"),
        ("true ? 1 : ", "1", ""),
        ("true && ", "true", ""),
        ("[1].map(x, ", "1", ")"),
        ("", "[1]", ".map(x, x)"),
        ("", "state", ".a"),
        ("", "state", "[0]"),
    ] {
        for count in [8, 15, 20, 31, 49, 60, 100, 200, 600, 1300] {
            let source = format!("{}{middle}{}", open.repeat(count), close.repeat(count));
            if source.len() > 4096 {
                continue;
            }
            match compile(&source, Names::State) {
                Ok(compiled) => {
                    let state = super::state(&json!({"a": 1}));
                    let _ = compiled.evaluate(&super::Scope::of(&state));
                }
                Err(ParseError::Nesting | ParseError::Syntax { .. }) => {}
                Err(other) => panic!("{count} times {open:?}: {other}"),
            }
        }
    }
}

#[test]
fn sums_and_conditions_of_usual_length_are_accepted() {
    let values = json!({"a": 1});
    assert_eq!(
        value(&vec!["state.a"; 30].join(" + "), &values),
        Ok(json!(30))
    );
    assert_eq!(
        value(&vec!["state.a == 1"; 200].join(" && "), &values),
        Ok(json!(true))
    );
    assert_eq!(
        value(&format!("{}9", "state.a == 2 ? 0 : ".repeat(20)), &values),
        Ok(json!(9))
    );
}
