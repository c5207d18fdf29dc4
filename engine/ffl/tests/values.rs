//! Expressions and their values, and the errors of those that have none.
//!
//! A case is one line `expression => value` or `expression => kind: message`.

use std::fmt::Write as _;

use millpond_ffl::form::{Declaration, Expr};
use millpond_ffl::json::{Detail, lower};
use millpond_ffl::parse::parse;
use millpond_ffl::source::{Origin, Sources};
use millpond_ffl::value::{Scope, Value, evaluate};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// The values that cases refer to.
struct World {
    inputs: Json,
    steps: Json,
}

impl World {
    fn new() -> Self {
        let inputs = json!({
            "n": null,
            "o": {"a": {"b": null, "c": 1, "e": {}}, "z": [1, "x"]},
            "l": [10, 20, 30],
            "max": i64::MAX,
            "min": i64::MIN,
            "huge": 18_446_744_073_709_551_615_u64,
            "i": 7,
            "d": 1.0,
            "s": "text",
            "t": true,
        });
        let steps = json!({"step": {"r": {"x": [1, 2]}, "n": null}});
        Self { inputs, steps }
    }
}

impl Scope for World {
    fn input(&self, name: &str) -> Option<Value> {
        let json = self.inputs.get(name)?;
        Some(Value::from_json(json).expect("a small value"))
    }

    fn step(&self, step: &str, name: &str) -> Option<Value> {
        let json = self.steps.get(step)?.get(name)?;
        Some(Value::from_json(json).expect("a small value"))
    }
}

/// The expression of a text, unchecked: its types may be wrong.
fn expression(text: &str) -> Expr {
    let mut sources = Sources::new();
    let program = format!("facet F(x: Json =\n{text})");
    let id = sources
        .add("case.ffl", Origin::Primary, &program)
        .expect("small");
    let parsed = parse(&sources, id);
    assert_eq!(parsed.diagnostics, [], "{text}");
    let program = lower(&[parsed.file], &sources, Detail::FULL);
    let Some(Declaration::Facet(facet)) = program.declarations.into_iter().next() else {
        panic!("no facet in {text}");
    };
    let param = facet.params.into_iter().next().expect("one parameter");
    param.default.expect("a default")
}

fn result_of(text: &str) -> String {
    match evaluate(&expression(text), &World::new()) {
        Ok(value) => value.to_json().to_string(),
        Err(error) => format!("{}: {error}", error.error_type()),
    }
}

fn check(cases: &str) {
    let mut actual = String::new();
    for line in cases.lines() {
        match line.split_once(" => ") {
            Some((text, _)) => writeln!(actual, "{text} => {}", result_of(text)),
            None => writeln!(actual, "{line}"),
        }
        .expect("a string takes any text");
    }
    assert!(cases.matches(" => ").count() > 3, "the file has cases");
    let first = actual.lines().zip(cases.lines()).position(|(a, b)| a != b);
    assert!(
        actual == cases,
        "differs from line {:?} on; now:\n{actual}",
        first.map(|line| line + 1)
    );
}

#[test]
fn r21_arithmetic_is_exact_or_an_error() {
    check(include_str!("values/arithmetic.txt"));
}

#[test]
fn r21_comparisons_do_not_round() {
    check(include_str!("values/comparison.txt"));
}

#[test]
fn boolean_operators_use_the_truth_of_values() {
    check(include_str!("values/boolean.txt"));
}

#[test]
fn r21_concatenation_gives_texts() {
    check(include_str!("values/concatenation.txt"));
}

#[test]
fn r21_an_index_or_path_names_what_is_missing() {
    check(include_str!("values/access.txt"));
}

/// How a pair of numbers compares: its order and its equality, by the operators.
fn compared(left: &Value, right: &Value) -> (bool, bool, bool) {
    struct Pair<'v>(&'v Value, &'v Value);
    impl Scope for Pair<'_> {
        fn input(&self, name: &str) -> Option<Value> {
            Some(if name == "a" {
                self.0.clone()
            } else {
                self.1.clone()
            })
        }

        fn step(&self, _: &str, _: &str) -> Option<Value> {
            None
        }
    }
    let is = |text: &str| {
        let value = evaluate(&expression(text), &Pair(left, right)).expect("numbers compare");
        value == Value::from(true)
    };
    (is("$.a < $.b"), is("$.a == $.b"), is("$.a > $.b"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn integers_and_doubles_compare_as_exact_numbers(int: i64, near in -3_i64..3, half: bool) {
        // A double near the integer: above 2^53 it is another integer, below it may have a half.
        let double = int.wrapping_add(near) as f64 + if half { 0.5 } else { 0.0 };
        // Twice the double is an integer that i128 has: nothing is rounded.
        let exact = ((int as i128) * 2).cmp(&((double * 2.0) as i128));
        let expected = (exact.is_lt(), exact.is_eq(), exact.is_gt());
        let (int, double) = (Value::from(int), Value::Double(double));
        prop_assert_eq!(compared(&int, &double), expected);
        let (less, equal, greater) = expected;
        prop_assert_eq!(compared(&double, &int), (greater, equal, less));
    }

    #[test]
    fn a_remainder_has_the_sign_of_the_divisor_and_restores_the_dividend(a: i64, b: i64) {
        let text = format!("({}) % ({})", signed(a), signed(b));
        match evaluate(&expression(&text), &World::new()) {
            Ok(Value::Int(rest)) => {
                prop_assert!(rest == 0 || (rest < 0) == (b < 0));
                prop_assert_eq!((i128::from(a) - i128::from(rest)) % i128::from(b), 0);
                prop_assert!(i128::from(rest).abs() < i128::from(b).abs());
            }
            other => prop_assert!(b == 0, "{other:?}"),
        }
    }
}

/// An integer as an expression; the smallest has no literal.
fn signed(value: i64) -> String {
    if value == i64::MIN {
        format!("-{} - 1", i64::MAX)
    } else {
        value.to_string()
    }
}
