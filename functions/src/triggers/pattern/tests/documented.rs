//! AWS's documentation of each comparison operator of EventBridge, as one table.

use serde_json::{Value, json};

use super::matches;

/// Values of the field `a` that match its matchers, and values that do not. `None`: no field.
type Case = (&'static str, Value, Vec<Option<Value>>, Vec<Option<Value>>);

fn some<const N: usize>(values: [Value; N]) -> Vec<Option<Value>> {
    values.into_iter().map(Some).collect()
}

fn cases() -> Vec<Case> {
    let nothing = || vec![None];
    vec![
        (
            "equals compares the whole text, in its case",
            json!(["Alice"]),
            some([json!("Alice")]),
            some([json!("alice"), json!("Alice "), json!("Al")]),
        ),
        (
            "one of several values is enough",
            json!(["running", "stopped"]),
            some([json!("running"), json!("stopped")]),
            some([json!("pending")]),
        ),
        (
            "an empty text is a value, and not null",
            json!([""]),
            some([json!("")]),
            [some([json!(null), json!(" ")]), nothing()].concat(),
        ),
        (
            "null is a value, and neither an empty text nor a missing field",
            json!([null]),
            some([json!(null)]),
            [some([json!(""), json!("null"), json!(0)]), nothing()].concat(),
        ),
        (
            "true and false are values, and not texts",
            json!([true]),
            some([json!(true)]),
            some([json!(false), json!("true"), json!(1)]),
        ),
        (
            "one member in common is enough for two arrays",
            json!(["arn:a", "arn:b"]),
            some([json!(["arn:b", "arn:c"]), json!("arn:a")]),
            some([json!(["arn:c"]), json!([])]),
        ),
        (
            "equals-ignore-case",
            json!([{"equals-ignore-case": "EC2 instance State-change Notification"}]),
            some([json!("ec2 INSTANCE state-change notification")]),
            some([json!("ec2 instance state-change")]),
        ),
        (
            "prefix",
            json!([{"prefix": "2026-10-02"}]),
            some([json!("2026-10-02T18:43:48Z"), json!("2026-10-02")]),
            some([json!("2026-10-03T00:00:00Z"), json!(2026), json!(null)]),
        ),
        (
            "an empty prefix matches any text",
            json!([{"prefix": ""}]),
            some([json!("x"), json!("")]),
            [some([json!(3), json!(null)]), nothing()].concat(),
        ),
        (
            "an empty suffix matches any text, in any case",
            json!([{"suffix": {"equals-ignore-case": ""}}, {"suffix": ""}]),
            some([json!("x"), json!("")]),
            [some([json!(true)]), nothing()].concat(),
        ),
        (
            "prefix in any case",
            json!([{"prefix": {"equals-ignore-case": "EventB"}}]),
            some([json!("eventbridge"), json!("EVENTBRIDGE")]),
            some([json!("event")]),
        ),
        (
            "suffix",
            json!([{"suffix": ".png"}]),
            some([json!("a.png"), json!(".png")]),
            some([json!("a.PNG"), json!("a.png.gz")]),
        ),
        (
            "suffix in any case",
            json!([{"suffix": {"equals-ignore-case": ".tif"}}]),
            some([json!("a.TIF"), json!("b.tif")]),
            some([json!("a.tiff")]),
        ),
        (
            "anything-but one text",
            json!([{"anything-but": "initializing"}]),
            some([json!("running"), json!(7)]),
            [some([json!("initializing")]), nothing()].concat(),
        ),
        (
            "anything-but one number",
            json!([{"anything-but": 123}]),
            some([json!(456), json!("123")]),
            some([json!(123)]),
        ),
        (
            "anything-but several texts",
            json!([{"anything-but": ["stopped", "overloaded"]}]),
            some([json!("running")]),
            some([json!("stopped"), json!("overloaded")]),
        ),
        (
            "anything-but several numbers",
            json!([{"anything-but": [100, 200, 300]}]),
            some([json!(150)]),
            some([json!(100), json!(300)]),
        ),
        (
            "anything-but in any case",
            json!([{"anything-but": {"equals-ignore-case": ["initializing", "stopped"]}}]),
            some([json!("running")]),
            some([json!("Initializing"), json!("STOPPED")]),
        ),
        (
            "anything-but a prefix",
            json!([{"anything-but": {"prefix": "init"}}]),
            some([json!("running"), json!("Init")]),
            some([json!("initializing")]),
        ),
        (
            "anything-but several suffixes",
            json!([{"anything-but": {"suffix": [".txt", ".rtf"]}}]),
            some([json!("a.csv")]),
            some([json!("a.txt"), json!("a.rtf")]),
        ),
        (
            "anything-but several wildcards",
            json!([{"anything-but": {"wildcard": ["*/lib/*", "*/bin/*"]}}]),
            some([json!("/usr/share/a"), json!("lib/a")]),
            some([json!("/usr/lib/a"), json!("/usr/bin/a")]),
        ),
        (
            "numeric: a range with an open and a closed end",
            json!([{"numeric": [">", 0, "<=", 5]}]),
            some([json!(5), json!(0.5)]),
            some([json!(0), json!(5.1), json!("3")]),
        ),
        (
            "numeric: one bound",
            json!([{"numeric": ["<", 10]}]),
            some([json!(9), json!(-1)]),
            some([json!(10)]),
        ),
        (
            "numeric: an equal number, however it is written",
            json!([{"numeric": ["=", 3.018e2]}]),
            some([json!(301.8), json!(3018e-1)]),
            some([json!(301), json!("301.8")]),
        ),
        (
            "exists: true matches whatever the value is",
            json!([{"exists": true}]),
            some([json!("x"), json!(""), json!(null), json!(0)]),
            nothing(),
        ),
        (
            "exists: false matches a missing field only",
            json!([{"exists": false}]),
            nothing(),
            some([json!("x"), json!(""), json!(null)]),
        ),
        (
            "cidr of version 4",
            json!([{"cidr": "10.0.0.0/24"}]),
            some([json!("10.0.0.0"), json!("10.0.0.255")]),
            some([json!("10.0.1.0"), json!("10.0.0"), json!("::10.0.0.1")]),
        ),
        (
            "cidr of version 6",
            json!([{"cidr": "2600:1f18::/32"}]),
            some([json!("2600:1f18:42::1")]),
            some([json!("2600:1f19::1"), json!("10.0.0.1")]),
        ),
        (
            "wildcard at the end",
            json!([{"wildcard": "arn:aws:events:us-east-1:123456789012:event-bus/dev-*"}]),
            some([json!(
                "arn:aws:events:us-east-1:123456789012:event-bus/dev-a/b"
            )]),
            some([json!(
                "arn:aws:events:us-east-1:123456789012:event-bus/prod"
            )]),
        ),
        (
            "wildcards in the middle and at both ends",
            json!([{"wildcard": "dir/*.png"}, {"wildcard": "*user*"}]),
            some([
                json!("dir/a/b.png"),
                json!("dir/.png"),
                json!("a user b"),
                json!("user"),
            ]),
            some([json!("dir/a.jpg"), json!("use")]),
        ),
        (
            "an escaped star and an escaped backslash in a wildcard",
            json!([{"wildcard": "a\\*b\\\\*"}]),
            some([json!("a*b\\"), json!("a*b\\c")]),
            some([json!("axb\\c"), json!("a*bc")]),
        ),
        (
            "matchers of several kinds are alternatives",
            json!([{"prefix": "a"}, {"numeric": [">", 3]}, null]),
            some([json!("abc"), json!(4), json!(null)]),
            some([json!("b"), json!(3)]),
        ),
    ]
}

#[test]
fn each_operator_matches_what_aws_documents() {
    for (what, matchers, matching, others) in cases() {
        let pattern = json!({"detail": {"a": matchers}});
        let event = |value: &Option<Value>| match value {
            Some(value) => json!({"detail": {"a": value, "b": 1}}),
            None => json!({"detail": {"b": 1}}),
        };
        for value in &matching {
            assert!(
                matches(&pattern, &event(value)),
                "{what}: must match {value:?}"
            );
        }
        for value in &others {
            assert!(
                !matches(&pattern, &event(value)),
                "{what}: must not match {value:?}"
            );
        }
    }
}

/// Fields are joined by *and*, the values of one by *or*, and `$or` joins fields by *or*.
#[test]
fn fields_are_joined_as_aws_documents() {
    let event = json!({
        "source": "aws.ec2", "time": "2026-10-02T18:43:48Z", "resources": ["arn:i-1", "arn:i-2"],
        "detail": {"state": "running", "count": 3, "other": 30, "limit": 301.8, "ip": "10.0.0.7"},
    });
    for (expected, pattern) in [
        (
            true,
            json!({"source": ["aws.ec2"], "detail": {"state": ["running", "stopped"]}}),
        ),
        (
            false,
            json!({"source": ["aws.ec2"], "detail": {"state": ["stopped"]}}),
        ),
        (
            false,
            json!({"source": ["aws.s3"], "detail": {"state": ["running"]}}),
        ),
        (true, json!({"resources": ["arn:i-2", "arn:i-3"]})),
        (
            true,
            json!({"detail": {"gone": {"deeper": [{"exists": false}]}}}),
        ),
        (
            false,
            json!({"detail": {"gone": {"deeper": [{"exists": true}]}}}),
        ),
        (
            true,
            json!({
                "time": [{"prefix": "2026-10-02"}],
                "detail": {
                    "state": [{"anything-but": "initializing"}],
                    "count": [{"numeric": [">", 0, "<=", 5]}],
                    "limit": [{"anything-but": [100, 200, 300]}],
                    "ip": [{"cidr": "10.0.0.0/24"}],
                    "error": [{"exists": false}],
                },
            }),
        ),
        (
            true,
            json!({"detail": {"$or": [
                {"count": [{"numeric": [">", 5]}]},
                {"other": [{"numeric": ["<", 10]}]},
                {"limit": [{"numeric": ["=", 3.018e2]}]},
            ]}}),
        ),
        (
            false,
            json!({"detail": {"$or": [
                {"count": [{"numeric": [">", 5]}]},
                {"other": [{"numeric": ["<", 10]}]},
            ]}}),
        ),
        (
            false,
            json!({
                "source": ["aws.s3"],
                "$or": [{"detail": {"count": [3]}}, {"detail": {"count": [4]}}],
            }),
        ),
        (
            true,
            json!({"$or": [
                {"source": ["aws.s3"]},
                {"detail": {"$or": [{"count": [9]}, {"state": ["running"], "count": [3]}]}},
            ]}),
        ),
    ] {
        assert_eq!(matches(&pattern, &event), expected, "{pattern}");
    }
}
