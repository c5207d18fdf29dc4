mod documented;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Known, Pattern};

fn matches(pattern: &Value, event: &Value) -> bool {
    Pattern::new(pattern)
        .unwrap_or_else(|error| panic!("{pattern}: {error}"))
        .matches(event)
}

/// Whether values of a field `a` match its matchers.
fn each(matchers: &Value, good: &[Value], bad: &[Value]) {
    let pattern = json!({"a": matchers});
    for value in good {
        assert!(
            matches(&pattern, &json!({"a": value})),
            "{matchers} {value}"
        );
    }
    for value in bad {
        assert!(
            !matches(&pattern, &json!({"a": value})),
            "{matchers} {value}"
        );
    }
}

#[test]
fn values_match_exactly() {
    each(
        &json!(["x", 1, true, null]),
        &[
            json!("x"),
            json!(1),
            json!(1.0),
            json!(true),
            json!(null),
            json!(["z", 1]),
        ],
        &[
            json!("X"),
            json!("1"),
            json!(2),
            json!(false),
            json!([]),
            json!({"a": "x"}),
        ],
    );
    // Differences below the precision of a double.
    each(
        &json!([9_007_199_254_740_993_u64]),
        &[json!(9_007_199_254_740_993_u64)],
        &[json!(9_007_199_254_740_992_u64)],
    );
}

#[test]
fn parts_of_text_match_in_their_case_or_in_any() {
    each(
        &json!([{"prefix": "in/"}]),
        &[json!("in/"), json!("in/x")],
        &[json!("In/x"), json!(3)],
    );
    each(
        &json!([{"suffix": ".csv"}]),
        &[json!("a.csv")],
        &[json!("a.CSV"), json!("csv")],
    );
    each(
        &json!([{"prefix": {"equals-ignore-case": "IN/"}}]),
        &[json!("in/x"), json!("iN/")],
        &[json!("n/")],
    );
    each(
        &json!([{"suffix": {"equals-ignore-case": ".csv"}}]),
        &[json!("a.CSV")],
        &[json!("a")],
    );
    each(
        &json!([{"equals-ignore-case": "Straße"}]),
        &[json!("STRAßE")],
        &[json!("strasse")],
    );
}

#[test]
fn wildcards_match_whole_texts() {
    each(
        &json!([{"wildcard": "in/*/2026-*.csv"}]),
        &[
            json!("in/a/2026-01.csv"),
            json!("in/a/b/2026-.csv"),
            json!("in//2026-x.csv.csv"),
        ],
        &[
            json!("in/2026-01.csv"),
            json!("in/a/2026-01.csv.gz"),
            json!("xin/a/2026-01.csv"),
        ],
    );
    each(
        &json!([{"wildcard": "a*a"}]),
        &[json!("aa"), json!("aba")],
        &[json!("a")],
    );
    each(
        &json!([{"wildcard": "\\*\\\\*"}]),
        &[json!("*\\x")],
        &[json!("x\\x")],
    );
    each(
        &json!([{"wildcard": "🦆*"}]),
        &[json!("🦆🦆")],
        &[json!("x")],
    );
}

#[test]
fn a_wildcard_of_many_stars_is_fast() {
    let pattern = json!({"a": [{"wildcard": format!("{}b", "a*".repeat(400))}]});
    assert!(!matches(&pattern, &json!({"a": "a".repeat(100_000)})));
}

#[test]
fn numbers_match_their_ranges() {
    each(
        &json!([{"numeric": [">", 0, "<=", 5]}]),
        &[json!(0.1), json!(5)],
        &[json!(0), json!(5.01), json!("3"), json!(null)],
    );
    each(
        &json!([{"numeric": ["=", 3.0]}]),
        &[json!(3), json!(3.0)],
        &[json!(3.1)],
    );
    each(&json!([{"numeric": ["<", -1]}]), &[json!(-2)], &[json!(-1)]);
}

#[test]
fn fields_that_exist_and_fields_that_do_not() {
    let there = json!({"a": {"b": [{"exists": true}]}});
    let gone = json!({"a": {"b": [{"exists": false}]}});
    for (event, is) in [
        (json!({"a": {"b": null}}), true),
        (json!({"a": {"b": {"c": 1}}}), true),
        (json!({"a": {"b": []}}), false),
        (json!({"a": {}}), false),
        (json!({"a": "text"}), false),
        (json!({}), false),
    ] {
        assert_eq!(matches(&there, &event), is, "{event}");
        assert_eq!(matches(&gone, &event), !is, "{event}");
    }
    let other = json!({"a": {"b": [{"exists": false}, "x"]}});
    assert!(matches(&other, &json!({"a": {"b": "x"}})) && matches(&other, &json!({"a": {}})));
}

#[test]
fn anything_but_the_named_values() {
    each(
        &json!([{"anything-but": ["x", 5]}]),
        &[json!("y"), json!(6), json!(["x", "y"])],
        &[json!("x"), json!(5.0), json!(["x"]), json!({}), json!([])],
    );
    assert!(!matches(&json!({"a": [{"anything-but": "x"}]}), &json!({})));
    each(
        &json!([{"anything-but": {"prefix": ["in/", "tmp/"]}}]),
        &[json!("out/x"), json!(3)],
        &[json!("in/x"), json!("tmp/")],
    );
    each(
        &json!([{"anything-but": {"suffix": ".tmp"}}]),
        &[json!("a")],
        &[json!("a.tmp")],
    );
    each(
        &json!([{"anything-but": {"wildcard": "*/old/*"}}]),
        &[json!("old")],
        &[json!("a/old/b")],
    );
    each(
        &json!([{"anything-but": {"equals-ignore-case": ["A", "b"]}}]),
        &[json!("c")],
        &[json!("a"), json!("B")],
    );
}

#[test]
fn addresses_match_their_networks() {
    each(
        &json!([{"cidr": "10.0.0.0/8"}]),
        &[json!("10.255.1.2")],
        &[json!("11.0.0.1"), json!("::1"), json!("ten")],
    );
    each(
        &json!([{"cidr": "0.0.0.0/0"}]),
        &[json!("255.1.2.3")],
        &[json!("::")],
    );
    each(
        &json!([{"cidr": "2001:db8::/32"}]),
        &[json!("2001:db8::1")],
        &[json!("2001:db9::")],
    );
    each(
        &json!([{"cidr": "::/0"}]),
        &[json!("ff::")],
        &[json!("1.1.1.1")],
    );
}

#[test]
fn alternatives_and_fields_beside_them() {
    let pattern = json!({
        "source": ["s"],
        "$or": [{"a": [1]}, {"b": {"c": [2]}, "d": [3]}],
    });
    assert!(matches(&pattern, &json!({"source": "s", "a": 1})));
    assert!(matches(
        &pattern,
        &json!({"source": "s", "b": {"c": 2}, "d": 3})
    ));
    assert!(!matches(&pattern, &json!({"source": "s", "b": {"c": 2}})));
    assert!(!matches(&pattern, &json!({"source": "t", "a": 1})));
}

#[test]
fn one_object_of_an_array_matches_as_a_whole() {
    let pattern = json!({"items": {"a": [1], "b": [2]}});
    assert!(matches(
        &pattern,
        &json!({"items": [{"a": 0}, {"a": 1, "b": 2}]})
    ));
    assert!(!matches(&pattern, &json!({"items": [{"a": 1}, {"b": 2}]})));
}

#[test]
fn a_mismatch_is_reported_with_its_path() {
    let pattern = json!({"detail": {"object": {"key": [{"prefix": "in/"}, "x"]}}});
    let pattern = Pattern::new(&pattern).unwrap();
    let why = pattern.mismatch(&json!({"detail": {"object": {"key": "out/a"}}}));
    let wanted = "text that begins with \"in/\" or \"x\"";
    assert_eq!(
        why.unwrap(),
        format!("detail.object.key is \"out/a\", not {wanted}")
    );
    let why = pattern.mismatch(&json!({"detail": 3}));
    assert_eq!(
        why.unwrap(),
        format!("detail.object.key is missing; expected {wanted}")
    );
}

#[test]
fn an_invalid_pattern_is_refused_with_its_path_and_what_would_be_valid() {
    let deep = (0..40).fold(json!(["x"]), |inner, _| json!({"a": inner}));
    let many: Vec<u32> = (0..1_001).collect();
    for (pattern, at, why) in [
        (json!([]), "", "expected an object with fields"),
        (json!({}), "", "without fields"),
        (json!({"a": {}}), "a", "without fields"),
        (
            json!({"a": "x"}),
            "a",
            "values must be in an array: [\"x\"]",
        ),
        (json!({"a": {"b": []}}), "a.b", "empty array"),
        (
            json!({"a": [["x"]]}),
            "a",
            "an array cannot contain an array",
        ),
        (
            json!({"a": [{"prefx": "x"}]}),
            "a",
            "did you mean `prefix`?",
        ),
        (
            json!({"a": [{"prefix": "x", "suffix": "y"}]}),
            "a",
            "one key",
        ),
        (json!({"a": [{"prefix": 3}]}), "a", "requires text: got=3"),
        (
            json!({"a": [{"suffix": {"x": "y"}}]}),
            "a",
            "equals-ignore-case",
        ),
        (json!({"a": [{"wildcard": "a**"}]}), "a", "write one"),
        (
            json!({"a": [{"wildcard": "a\\b"}]}),
            "a",
            "is only allowed before",
        ),
        (json!({"a": [{"numeric": ["!", 3]}]}), "a", "signs are"),
        (
            json!({"a": [{"numeric": [">", 5, "<", 5]}]}),
            "a",
            "no number is between 5 and 5",
        ),
        (
            json!({"a": [{"numeric": ["<", 5, ">", 1]}]}),
            "a",
            "a range",
        ),
        (json!({"a": [{"exists": "yes"}]}), "a", "true or false"),
        (
            json!({"a": [{"cidr": "10.0.0.0/33"}]}),
            "a",
            "a network such as",
        ),
        (json!({"a": [{"anything-but": []}]}), "a", "exists: true"),
        (
            json!({"a": [{"anything-but": {"numeric": ["<", 1]}}]}),
            "a",
            "got=numeric",
        ),
        (json!({"b": {"$or": [{"a": [1]}]}}), "b.$or", "at least two"),
        (deep, "a.a.a.a.a.a.a.a", "more than 32 levels"),
        (json!({"a": many}), "a", "more than 1000"),
    ] {
        let error = Pattern::new(&pattern).expect_err("a bad pattern");
        assert!(error.at.starts_with(at), "{pattern}: {error}");
        assert!(error.why.contains(why), "{pattern}: {error}");
    }
}

#[test]
fn a_pattern_that_could_match_is_never_ruled_out() {
    let known = |path: &str| match path {
        "detail.bucket.name" => Known::Is("b".to_owned()),
        "detail.object.key" => Known::Under(vec!["pond/".to_owned()]),
        _ => Known::Free,
    };
    let could = |matcher: Value| {
        let pattern = json!({"detail": {"object": {"key": [matcher]}, "size": [1]}});
        Pattern::new(&pattern).unwrap().could_match(&known)
    };
    for yes in [
        json!({"prefix": "po"}),
        json!({"prefix": "pond/mail/"}),
        json!({"suffix": ".csv"}),
        json!({"wildcard": "p*.csv"}),
        json!({"wildcard": "*"}),
        json!("pond/x"),
        json!({"anything-but": "pond/x"}),
        json!({"anything-but": {"prefix": "pond/mail/"}}),
        json!({"prefix": {"equals-ignore-case": "PO"}}),
        json!({"exists": true}),
        json!({"equals-ignore-case": "POND/X"}),
    ] {
        assert!(could(yes.clone()), "{yes}");
    }
    for no in [
        json!({"prefix": "in/"}),
        json!("in/x"),
        json!({"wildcard": "in/*"}),
        json!(3),
        json!({"anything-but": {"prefix": "pond/"}}),
        json!({"anything-but": {"prefix": "po"}}),
        json!({"anything-but": {"wildcard": "pond/*"}}),
        json!({"exists": false}),
        json!({"numeric": ["<", 1]}),
        json!({"wildcard": "pond"}),
    ] {
        assert!(!could(no.clone()), "{no}");
    }
    let other = json!({"detail": {"bucket": {"name": ["c"]}}});
    assert!(!Pattern::new(&other).unwrap().could_match(&known));
    let or = json!({"$or": [
        {"detail": {"bucket": {"name": ["c"]}}}, {"detail": {"bucket": {"name": ["b"]}}},
    ]});
    assert!(Pattern::new(&or).unwrap().could_match(&known));
}

/// Matchers of a key, from few letters, so that many of them overlap.
fn of_key() -> impl Strategy<Value = Value> {
    let text = || "[pP/*]{1,3}";
    let plain = || "[pP/]{1,4}";
    prop_oneof![
        plain().prop_map(|text| json!(text)),
        plain().prop_map(|text| json!({"prefix": text})),
        plain().prop_map(|text| json!({"prefix": {"equals-ignore-case": text}})),
        plain().prop_map(|text| json!({"suffix": text})),
        plain().prop_map(|text| json!({"equals-ignore-case": text})),
        text().prop_map(|text| json!({"wildcard": text.replace("**", "*").replace("**", "*")})),
        plain().prop_map(|text| json!({"anything-but": text})),
        plain().prop_map(|text| json!({"anything-but": {"prefix": text}})),
        plain().prop_map(|text| json!({"anything-but": {"suffix": text}})),
        text().prop_map(|text| {
            json!({"anything-but": {"wildcard": text.replace("**", "*").replace("**", "*")}})
        }),
        any::<bool>().prop_map(|there| json!({"exists": there})),
        Just(json!({"numeric": ["<", 1]})),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]
    #[test]
    fn a_pattern_that_matches_one_of_the_engines_keys_is_never_ruled_out(
        one in of_key(), other in of_key(), rest in "[pP/]{0,3}", or in any::<bool>(),
    ) {
        let event = json!({"detail": {"object": {"key": format!("p/{rest}")}}});
        let of = |matcher: &Value| json!({"detail": {"object": {"key": [matcher]}}});
        let pattern = if or {
            json!({"$or": [of(&one), of(&other)]})
        } else {
            json!({"detail": {"object": {"key": [one, other]}}})
        };
        let pattern = Pattern::new(&pattern).unwrap();
        let known = |path: &str| match path {
            "detail.object.key" => Known::Under(vec!["p/".to_owned()]),
            _ => Known::Free,
        };
        prop_assert!(!pattern.matches(&event) || pattern.could_match(&known));
    }
}
