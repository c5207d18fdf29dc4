use serde_json::{Value, json};

use super::Template;

fn event() -> Value {
    json!({
        "detail-type": "Paid",
        "detail": {
            "id": 42, "ok": true, "none": null, "text": "a b", "items": [{"n": "1.50"}, 7],
            "two words": "x", "json": "{\"a\":[1]}", "brace}": "y", "empty": "",
            "digits": "12345678901234567890123", "a-b": {"c-d": {"e.f-g": {"h": 1}, "2fa": 2}},
        },
    })
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is written where it is given"
)]
fn render(template: Value) -> Result<Value, String> {
    let template = Template::new(&template).map_err(|error| format!("template: {error}"))?;
    template.render(&event()).map_err(|error| error.to_string())
}

#[test]
fn a_text_that_is_a_path_becomes_the_value_there() {
    for (path, value) in [
        ("$.detail.id", json!(42)),
        ("$['detail'][\"two words\"]", json!("x")),
        ("$.detail.items[1]", json!(7)),
        ("$.detail.items", json!([{"n": "1.50"}, 7])),
        ("$.detail.none", json!(null)),
        ("$.detail.gone?", json!(null)),
        ("$.detail-type", json!("Paid")),
        ("$['detail-type']", json!("Paid")),
        ("$.detail.a-b.c-d['e.f-g'].h", json!(1)),
        ("$.detail.items[-1]", json!(7)),
        ("$..n", json!("1.50")),
        ("$..c-d.2fa", json!(2)),
        (
            "$.detail.items[?@.n == '1.50' || @.n == 1].n",
            json!("1.50"),
        ),
        ("$.detail.items[0].n | number", json!(1.5)),
        ("$.detail.id | text", json!("42")),
        ("$.detail.json | json", json!({"a": [1]})),
        ("$.detail.empty? | number", json!(null)),
        ("$.gone? | number", json!(null)),
        ("$", event()),
    ] {
        assert_eq!(render(json!(path)), Ok(value), "{path}");
    }
}

#[test]
fn paths_are_replaced_in_texts_and_anywhere_in_a_value() {
    assert_eq!(
        render(json!({"key": "order-${$.detail.id}/${ $.detail.text }", "n": [1, "$.detail.ok"]})),
        Ok(json!({"key": "order-42/a b", "n": [1, true]}))
    );
    assert_eq!(render(json!("${$.detail['brace}']}!")), Ok(json!("y!")));
    assert_eq!(
        render(json!("<${$.gone?}${$.detail.none}>")),
        Ok(json!("<>"))
    );
}

#[test]
fn a_doubled_or_lone_dollar_is_plain_text() {
    for (text, plain) in [
        ("$$.50", "$.50"),
        ("$5", "$5"),
        ("$${x}", "${x}"),
        ("$$$$", "$$"),
        ("100$", "100$"),
        ("", ""),
    ] {
        assert_eq!(render(json!(text)), Ok(json!(plain)), "{text}");
    }
}

#[test]
fn a_missing_value_is_reported() {
    for (template, why) in [
        (json!("$.detail.gone"), "no value at `$.detail.gone`"),
        (json!("$.detail.items[9]"), "no value at"),
        (json!("$.detail.items[*]"), "selects 2 values"),
        (json!(["${$.detail.items}"]), "cannot be part of a text"),
        (
            json!("$.detail.text | number"),
            "is not a number: value=\"a b\"",
        ),
        (json!("$.detail.items | text"), "is not a text"),
        (json!("$.detail.text | json"), "is not JSON"),
        (json!("$.detail.digits | number"), "is not a number"),
    ] {
        let error = render(template.clone()).expect_err("nothing there");
        assert!(error.contains(why), "{template}: {error}");
    }
    let key = |text: &str| Template::new(&json!(text)).unwrap().render_text(&event());
    assert_eq!(key("$.detail.id").as_deref(), Ok("42"));
    assert!(key("$.detail.empty").unwrap_err().why.contains("empty"));
    assert!(key("$.detail").unwrap_err().why.contains("not text"));
}

#[test]
fn an_invalid_path_is_refused() {
    for (text, why) in [
        ("$.", "invalid path: at position"),
        ("$.a...b", "invalid path: at position"),
        ("$.a[b]", "invalid path"),
        ("$.a['b]", "invalid path"),
        ("$.a[99999999999999999999]", "invalid path"),
        ("$.a b", "invalid path: at position"),
        ("$.a | upper", "number, text or json"),
        ("x ${$.a", "has no `}`"),
        ("x ${a}", "begins with `$`"),
    ] {
        let error = render(json!(text)).expect_err("no path");
        assert!(error.contains(why), "{text}: {error}");
    }
}
