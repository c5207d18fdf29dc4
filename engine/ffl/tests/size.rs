//! Large texts: reading takes time in proportion to their length.

use std::fmt::Write as _;

use millpond_ffl::format::format;
use millpond_ffl::parse::{MAX_ERRORS, parse};
use millpond_ffl::source::{Origin, Sources};

/// A correct program with about so many lines.
fn program(lines: usize) -> String {
    let mut text = String::new();
    for number in 0..lines / 25 {
        write!(
            text,
            r#"
/** Orders of shop {number}. */
namespace shop.n{number} {{
    use shop.n0

    schema Line {{ sku: String, count: Int, tags: [String] }}

    // Stock.
    event facet Reserve(sku: String, count: Int = 1) => (ok: Boolean, place: String)
    event facet Alert(text: String)

    workflow Order(lines: [Line], who: String) => (places: Json) andThen foreach line in $.lines {{
        r = Reserve(sku = line.sku, count = line.count * 2 + 1) with Timeout(minutes = 5) andThen {{
            yield Order(places = [r.place, #{{ at: $.who, "n": {number} }}])
        }} catch {{
            a = Alert(text = r.error ++ " for " ++ $.who)
        }}
        s = Reserve(sku = r.place)
    }} andThen when {{
        case $.who == "ana" && !($.lines[0]["count"] > 3) => {{
            b = Alert(text = "few")
        }}
        case _ => {{}}
    }}
}}
"#
        )
        .expect("a string takes any text");
    }
    text
}

#[test]
fn ten_thousand_lines_are_parsed_and_formatted() {
    let text = program(10_000);
    assert!(text.lines().count() >= 10_000, "{}", text.lines().count());
    let mut sources = Sources::new();
    let id = sources
        .add("large.ffl", Origin::Primary, &text)
        .expect("within the limit");
    let parsed = parse(&sources, id);
    assert_eq!(parsed.diagnostics, []);
    assert_eq!(parsed.file.items.len(), 400);
    let formatted = format(&sources, id).expect("a text without errors");
    assert_eq!(
        formatted,
        text.strip_prefix('\n').expect("the first line is empty")
    );
}

/// Texts whose repetition opens something each time, or that are skipped after an error.
#[test]
fn repeated_mistakes_take_time_in_proportion() {
    let head = "namespace a { facet F() andThen { s = F(a = ";
    for piece in [
        "(",
        "[",
        "{",
        "#{",
        "#{a:",
        ")",
        "]",
        "}",
        ";",
        ",",
        ".",
        "a.",
        "a = ",
        "a = b.c.",
        "F(",
        "F(a = (",
        "$.a[",
        "- ",
        "1 + ",
        "1 ++ ",
        "1 < ",
        "@",
        "' ",
        "'x' ",
        "\"x\" ",
        "\"",
        "/* ",
        "/**/ ",
        "// ",
        "//\n",
        "/** */ ",
        "script { ",
        "script {} ",
        "script python { '",
        "a script {",
        "prompt { ",
        "prompt { system ",
        "andThen { ",
        "andThen ",
        "catch { ",
        "s = F() ",
        "s = F() andThen { ",
        "s = F() catch when { case ",
        "when { ",
        "case ",
        "case _ => { ",
        "yield ",
        "yield F() ",
        "facet ",
        "facet F(",
        "facet F()\n",
        "event ",
        "event facet F() prompt {",
        "schema S {",
        "schema S { a: [",
        "implicit ",
        "implicit @\n",
        "implicit a = F(",
        "namespace ",
        "namespace a {",
        "namespace a {\n",
        " namespace a {\n",
        "use a\n",
        "with ",
        "F() with ",
        "with F() as ",
        "a: Int\n",
        "a: Int = ",
        "\u{e9} ",
        "\u{1F600}",
        "\\",
        "\n    ",
        "    \n}",
        "a = F(\n",
        "1.5e ",
    ] {
        let repeated = piece.repeat(100_000 / piece.len());
        for text in [repeated.clone(), format!("{head}{repeated}")] {
            let mut sources = Sources::new();
            let id = sources
                .add("large.ffl", Origin::Primary, &text)
                .expect("within the limit");
            assert!(parse(&sources, id).diagnostics.len() <= MAX_ERRORS);
        }
    }
}
