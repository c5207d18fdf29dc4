//! The parser that takes little stack reads each expression as the other parser of the crate does.

use std::sync::Arc;

use cel::objects::{Key, Map};
use cel::parser::PrattParser;
use cel::{Context, Env, Value};
use proptest::prelude::*;

/// Pieces of which expressions are made. Few are brackets: the other parser takes much stack for each.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "b",
        "1",
        "2.5",
        "3u",
        "-1",
        "'x'",
        "\"y\"",
        "true",
        "false",
        "null",
        " + ",
        " - ",
        " * ",
        " / ",
        " % ",
        " == ",
        " != ",
        " < ",
        " >= ",
        " in ",
        " && ",
        " || ",
        "!",
        "-",
        " ? ",
        " : ",
        ", ",
        "(",
        ")",
        "[",
        "]",
        "{'k': ",
        "}",
        ".k",
        "[0]",
        "size(",
        "has(a.k)",
        ".map(x, ",
        ".filter(x, ",
        ".all(x, ",
        ".exists(x, ",
        "x",
        ".contains('x')",
        "0x1F",
        "1e3",
        ".5",
        "r'\\d'",
        "'\\u00e9\\n'",
        "'''q'''",
        "b'z'",
    ])
}

fn evaluate(expression: &cel::IdedExpr, env: &Arc<Env>) -> Result<String, String> {
    let mut context = Context::with_env(env.clone());
    let fields = [(Key::from("k"), Value::Int(7))].into_iter().collect();
    context.add_variable_from_value(
        "a",
        Value::Map(Map {
            map: Arc::new(fields),
        }),
    );
    context.add_variable_from_value("b", vec![1_i64, 2, 3]);
    let value = context
        .resolve(expression)
        .map_err(|error| error.to_string())?;
    match value {
        Value::Map(_) => Ok("a map".to_owned()), // Its order is random.
        other => Ok(format!("{other:?}")),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn both_parsers_read_the_same_expressions_alike(pieces in prop::collection::vec(piece(), 1..9)) {
        let source = pieces.concat();
        let env = Arc::new(Env::stdlib());
        let one = PrattParser::new().parse(&source);
        let other = env.clone().parser().enable_optional_syntax(false).parse(&source);
        match (one, other) {
            (Ok(one), Ok(other)) => prop_assert_eq!(evaluate(&one, &env), evaluate(&other, &env), "{}", source),
            (Err(_), Err(_)) => {}
            // `-!x` is no CEL, and this parser takes it. It never has a value.
            (Ok(one), Err(_)) => {
                prop_assert!(source.contains('-') && source.contains('!'), "{}", source);
                prop_assert!(evaluate(&one, &env).is_err(), "{}", source);
            }
            (Err(error), Ok(_)) => prop_assert!(false, "{}: {}", source, error),
        }
    }
}
