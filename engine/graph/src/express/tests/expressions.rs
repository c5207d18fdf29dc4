use serde_json::json;

use super::{EvaluateError, Names, ParseError, Scope, compile, state, value};
use crate::category::Category;
use crate::express::Parsed;
use crate::express::lower::lower;
use crate::limits::Limits;

#[test]
fn an_expression_computes_on_the_state() {
    let values = json!({"n": 5, "big": u64::MAX, "part": 0.5, "text": "abc", "list": [1, 2, 3], "none": null,
        "map": {"b": 2, "a": 1}, "flag": true});
    for (source, expected) in [
        ("1", json!(1)),
        ("state.n + 1", json!(6)),
        ("state.n / 2", json!(2)),
        ("-state.n % 3", json!(-2)),
        ("state.big - 1u", json!(u64::MAX - 1)),
        ("state.part * 2.0", json!(1.0)),
        ("double(state.n) + state.part", json!(5.5)),
        ("state.n > 4.5", json!(true)),
        ("state.n == 5.0", json!(true)),
        ("state.text + 'd'", json!("abcd")),
        ("size(state.text)", json!(3)),
        (
            "state.text.startsWith('ab') && !state.text.endsWith('x') && state.text.contains('b')",
            json!(true),
        ),
        ("state.list + [4]", json!([1, 2, 3, 4])),
        ("state.list[size(state.list) - 1]", json!(3)),
        ("2 in state.list", json!(true)),
        ("'a' in state.map", json!(true)),
        ("state.map.a", json!(1)),
        ("state.map['b']", json!(2)),
        ("has(state.map.c)", json!(false)),
        ("has(state.n)", json!(true)),
        ("has(state.other)", json!(false)),
        ("state.none == null", json!(true)),
        ("state.none", json!(null)),
        ("state.flag ? 'yes' : 'no'", json!("yes")),
        ("state.list.map(x, x * x)", json!([1, 4, 9])),
        ("state.list.filter(x, x != 2)", json!([1, 3])),
        (
            "state.list.filter(x, x != 2).map(y, [y])",
            json!([[1], [3]]),
        ),
        ("state.list.all(x, x > 0)", json!(true)),
        ("state.list.exists(x, x > 2)", json!(true)),
        ("state.list.exists_one(x, x > 2)", json!(true)),
        (
            "{'k': state.list, 'x': {'y': null}}",
            json!({"k": [1, 2, 3], "x": {"y": null}}),
        ),
        (
            "string(state.n) + string(1.5) + string(true)",
            json!("51.5true"),
        ),
        ("int('42') + int(1.9)", json!(43)),
        ("uint(3)", json!(3)),
        ("bool('true')", json!(true)),
        ("dyn(1) == 1", json!(true)),
        ("state", values.clone()),
        ("size(state)", json!(8)),
    ] {
        assert_eq!(value(source, &values), Ok(expected), "{source}");
    }
}

#[test]
fn an_edge_reads_the_result_and_a_map_reads_item_and_index() {
    let empty = state(&json!({"n": 1}));
    let result = json!({"ok": true});
    let edge = compile("result.ok && state.n == 1", Names::Result).expect("valid");
    assert_eq!(
        edge.condition(&Scope::of(&empty).with_result(&result)),
        Ok(true)
    );
    let item = json!({"sku": "x"});
    let each = compile("item.sku + string(index) + string(state.n)", Names::Item).expect("valid");
    assert_eq!(
        each.text(&Scope::of(&empty).with_item(&item, 7)),
        Ok("x71".into())
    );
}

#[test]
fn names_and_functions_that_do_not_exist_are_refused_before_evaluation() {
    for (source, name) in [
        ("stat.n", "stat"),
        ("result.ok", "result"),
        ("item", "item"),
        ("[1].map(x, y)", "y"),
    ] {
        let error = compile(source, Names::State).expect_err(source);
        assert!(
            matches!(&error, ParseError::Variable { name: found, .. } if found == name),
            "{source}: {error}"
        );
    }
    // The variable of a macro ends with the macro.
    compile("[1].map(x, x) == x", Names::State).expect_err("x is not bound here");
    for source in [
        "now()",
        "random()",
        "state.n.matches('a')",
        "timestamp('x')",
        "foo(1)",
        "bytes('x')",
        "a.b.C{x: 1}",
    ] {
        let error = compile(source, Names::State).expect_err(source);
        assert!(
            matches!(
                error,
                ParseError::Function { .. } | ParseError::Variable { .. }
            ),
            "{source}: {error}"
        );
    }
}

#[test]
fn what_is_not_cel_is_refused() {
    for source in [
        "",
        "1 +",
        "state.",
        "a b",
        "{",
        "'open",
        "state.?n",
        "[?1]",
        "\u{0}",
        "1 = 2",
        "if (true) 1",
    ] {
        let error = compile(source, Names::State).expect_err(source);
        assert!(
            matches!(error, ParseError::Syntax { .. }),
            "{source}: {error}"
        );
        assert!(!error.to_string().contains('\n'));
    }
}

#[test]
fn a_failure_is_of_category_evaluation_and_names_the_expression() {
    let values = json!({"n": 5, "text": "abc", "list": [1], "max": i64::MAX});
    for source in [
        "state.other",
        "state.n + 'x'",
        "state.n + 1.5",
        "state.list[1]",
        "1 / 0",
        "1 % 0",
        "state.max + 1",
        "-(-state.max - 1)",
        "int('x')",
        "state.text.size",
        "!state.n",
        "state.n ? 1 : 2",
        "state.n && true",
        "state.list.map(x, x.y)",
        "{'a': 1, 'a': 2}",
        "1.0 / 0.0",
        "{1: 2}",
        "b'x'",
        "type(1) == 1 ? 1u : dyn(b'1')",
    ] {
        let Ok(compiled) = compile(source, Names::State) else {
            assert!(source.contains("type("), "{source} is refused earlier");
            continue;
        };
        let error = compiled
            .evaluate(&Scope::of(&state(&values)))
            .expect_err(source);
        assert_eq!(error.category(), Category::Evaluation, "{source}: {error}");
        assert!(
            error.to_string().contains(&format!("{source:?}")),
            "{error}"
        );
    }
}

#[test]
fn a_condition_is_a_boolean_a_list_is_a_list_and_text_is_text() {
    let empty = state(&json!({}));
    let scope = Scope::of(&empty);
    let one = compile("1", Names::State).expect("valid");
    for error in [
        one.condition(&scope).err(),
        one.list(&scope).err(),
        one.text(&scope).err(),
    ] {
        assert!(
            matches!(
                error,
                Some(EvaluateError::Type {
                    found: "number",
                    ..
                })
            ),
            "{error:?}"
        );
    }
    assert_eq!(
        compile("[1]", Names::State).expect("valid").list(&scope),
        Ok(vec![json!(1)])
    );
}

#[test]
fn a_macro_visits_the_keys_of_an_object_in_their_order() {
    let fields: serde_json::Map<_, _> = (0..50)
        .map(|number| (format!("k{number:02}"), json!(number)))
        .collect();
    let keys: Vec<_> = fields.keys().cloned().collect();
    let values = json!({"map": fields});
    for _ in 0..5 {
        assert_eq!(value("state.map.map(k, k)", &values), Ok(json!(keys)));
        assert_eq!(
            value("state.map.filter(k, k < 'k02')", &values),
            Ok(json!(["k00", "k01"]))
        );
        assert_eq!(
            value("{'b': 1, 'c': 2, 'a': 3}.map(k, k)", &values),
            Ok(json!(["a", "b", "c"]))
        );
    }
}

#[test]
fn only_the_keys_that_an_expression_reads_are_converted() {
    let reads = |source: &str| {
        let parsed = Parsed::parse(&source.into(), Names::Item, &Limits::default()).expect(source);
        let reads = lower(&mut parsed.root.clone());
        let join = |names: std::collections::BTreeSet<String>| {
            names.into_iter().collect::<Vec<_>>().join(",")
        };
        (join(reads.keys), join(reads.tests), join(reads.whole))
    };
    let three = |keys: &str, tests: &str, whole: &str| {
        (keys.to_owned(), tests.to_owned(), whole.to_owned())
    };
    assert_eq!(
        reads("state.a + state.b.c + (has(state.d) ? 1 : item)"),
        three("a,b", "d", "item")
    );
    assert_eq!(
        reads("[1].map(x, state.a + index)"),
        three("a", "", "index")
    );
    assert_eq!(reads("has(state.a.b)"), three("a", "", ""));
    assert_eq!(reads("1"), three("", "", ""));
    assert_eq!(reads("state['a'] + state.b"), three("b", "", "state"));
    assert_eq!(reads("[{'a': 1}].map(state, state.b)"), three("", "", ""));
    assert_eq!(reads("[item].map(item, item.b)"), three("", "", "item"));
}

#[test]
fn evaluations_of_one_scope_share_what_was_converted_and_not_what_was_spent() {
    let values = json!({"list": (0..1000).collect::<Vec<_>>(), "n": 1});
    let state = state(&values);
    let scope = Scope::of(&state);
    let long = compile("state.list.map(x, x + state.n)", Names::State).expect("valid");
    for _ in 0..30 {
        assert!(
            long.evaluate(&scope).is_ok(),
            "each evaluation has all operations"
        );
    }
    let too_long = compile("state.list.map(x, state.list.map(y, x))", Names::State).expect("valid");
    assert!(matches!(
        too_long.evaluate(&scope),
        Err(EvaluateError::Limit { .. })
    ));
    assert!(
        long.evaluate(&scope).is_ok(),
        "an evaluation that failed leaves nothing behind"
    );
    // An element is that of its own scope.
    let each = compile("item + index", Names::Item).expect("valid");
    let (one, two) = (json!(10), json!(20));
    let (first, second) = (scope.with_item(&one, 1), scope.with_item(&two, 2));
    assert_eq!(
        (
            each.evaluate(&first),
            each.evaluate(&second),
            each.evaluate(&first)
        ),
        (Ok(json!(11)), Ok(json!(22)), Ok(json!(11)))
    );
    assert!(
        each.evaluate(&scope).is_err(),
        "the scope around has no element"
    );
}

#[test]
fn a_key_without_a_value_is_named_with_the_test_for_it() {
    let error = value("state.missing + 1", &json!({"a": 1})).expect_err("it has no value");
    assert!(error.to_string().contains("has(state.missing)"), "{error}");
}

#[test]
fn messages_are_the_same_each_time_and_contain_no_values() {
    let fields: serde_json::Map<_, _> = (0..30)
        .map(|number| (format!("secret{number}"), json!(number)))
        .collect();
    let values = json!({"o": fields, "l": [fields], "t": "secret", "n": i64::MAX});
    for (source, message) in [
        ("state.o - 1", "sub cannot be applied to map and int"),
        ("state.l + 1", "add cannot be applied to list and int"),
        (
            "state.o < state.o",
            "found no matching overload for '_<_' applied to '(map, map)'",
        ),
        (
            "state.o ? 1 : 2",
            "a value has the wrong type: found=map, required=bool",
        ),
        ("state.o.x", "the object has no such field: field=\"x\""),
        ("state.l[3]", "the list has no such element: index=3"),
        (
            "state.o[state.l]",
            "found no matching overload for '_[_]' applied to '(map, list)'",
        ),
        ("{state.o: 1}", "map is not the key of an object"),
        ("state.n + 1", "add overflows 64 bits"),
        ("1 / 0", "a number is divided by zero"),
        ("1 % 0", "a number is divided by zero for its remainder"),
        ("{'a': 1, 'a': 2}", "an object has the same key twice"),
    ] {
        for _ in 0..3 {
            let error = value(source, &values).expect_err(source);
            let EvaluateError::Failed { message: found, .. } = &error else {
                panic!("{error}")
            };
            assert_eq!(found, message, "{source}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
