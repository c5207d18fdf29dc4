use super::script::{closing_brace, dedent};
use super::{CommentKind, Number, TokenKind, lex, read_doc, read_number, unescape};
use crate::ast::DocEntry;
use crate::source::{SourceId, Span};

fn kinds(text: &str) -> Vec<TokenKind> {
    let lexed = lex(SourceId::default(), text, 20);
    assert_eq!(lexed.diagnostics, []);
    lexed.tokens.iter().map(|token| token.kind).collect()
}

#[test]
fn operators_are_the_longest_tokens() {
    use TokenKind::{
        Arrow, Assign, Dollar, Dot, End, EqEq, HashBrace, Ident, NotEq, Number, Plus, PlusPlus,
    };
    assert_eq!(
        kinds("=>===!===++ +"),
        [Arrow, EqEq, Assign, NotEq, EqEq, PlusPlus, Plus, End]
    );
    assert_eq!(
        kinds("a.b $.c #{"),
        [Ident, Dot, Ident, Dollar, Dot, Ident, HashBrace, End]
    );
    assert_eq!(kinds("1.5e3 1.5 .5"), [Number, Number, Dot, Number, End]);
}

#[test]
fn a_comment_of_nothing_is_no_doc_comment() {
    let lexed = lex(SourceId::default(), "/**/ /***/ /** d */ /* b */ // l", 20);
    let found: Vec<CommentKind> = lexed.comments.iter().map(|comment| comment.kind).collect();

    let [block, doc, line] = [CommentKind::Block, CommentKind::Doc, CommentKind::Line];
    assert_eq!(found, [block, doc, doc, block, line]);
}

#[test]
fn a_line_comment_ends_before_its_line_break() {
    let lexed = lex(SourceId::default(), "// a\r\nb", 20);
    assert_eq!(lexed.comments[0].span.range(), 0..4);
    assert!(lexed.tokens[0].first_in_line);
}

#[test]
fn escapes_are_those_of_the_language_and_others_keep_their_backslash() {
    let cases = [
        (r"plain", "plain"),
        (r#"\n\t\r\\\"\'"#, "\n\t\r\\\"'"),
        (r"\a\b\f\v", "\u{07}\u{08}\u{0c}\u{0b}"),
        (r"\x41\u00e9\U0001F600", "A\u{e9}\u{1F600}"),
        (r"\0\7\101\377\400\1011", "\0\u{7}A\u{ff}\u{20}0A1"),
        (r"\q\xZ1\x4\u12\8", r"\q\xZ1\x4\u12\8"),
        ("\\\u{e9}\\\nx", "\\\u{e9}\\\nx"),
        (r"\\n", r"\n"),
    ];
    for (raw, value) in cases {
        assert_eq!(unescape(raw), (value.into(), vec![]), "{raw}");
    }
}

#[test]
fn escapes_that_denote_no_character_are_found() {
    assert_eq!(unescape(r"a\ud800b\U00110000").1, [1..7, 8..18]);
    assert_eq!(unescape(r"a\ud800b").0, "ab");
}

#[test]
fn integers_have_64_bits_and_doubles_a_point() {
    assert_eq!(read_number("007"), Ok(Number::Int(7)));
    assert_eq!(
        read_number("9223372036854775807"),
        Ok(Number::Int(i64::MAX))
    );
    assert_eq!(read_number("1.5e3"), Ok(Number::Double(1500.0)));
    assert_eq!(read_number("0.1E-2"), Ok(Number::Double(0.001)));
    assert_eq!(read_number("1.0e-400"), Ok(Number::Double(0.0)));
    for wrong in [
        "9223372036854775808",
        "1e5",
        "1.",
        "1.e5",
        "1.0e",
        "1.0e+",
        "1.0e400",
        "1a",
        "1.0a",
    ] {
        assert!(read_number(wrong).is_err(), "{wrong}");
    }
}

fn entry(name: &str, description: &str) -> DocEntry {
    DocEntry {
        name: name.to_owned(),
        description: description.to_owned(),
    }
}

#[test]
fn a_doc_comment_has_a_description_and_tags() {
    let text = "/** Orders.\n     * @param sku  the article \n     *   * item\n\t@param who\n     * \
                @returns ok whether it worked\n     * @return place\n * @param\n * @parameter x\n ** bold\n */";
    let doc = read_doc(text, Span::default());
    assert_eq!(
        doc.description,
        "Orders.\n  * item\n@param\n@parameter x\n* bold"
    );
    assert_eq!(doc.params, [entry("sku", "the article"), entry("who", "")]);
    assert_eq!(
        doc.returns,
        [entry("ok", "whether it worked"), entry("place", "")]
    );
}

#[test]
fn a_doc_comment_of_one_line_has_no_stars_to_leave_out() {
    assert_eq!(
        read_doc("/** *a* b */", Span::default()).description,
        "*a* b"
    );
    assert_eq!(read_doc("/***/", Span::default()).description, "");
}

#[test]
fn the_closing_brace_ignores_those_in_strings_and_comments() {
    for code in [
        "{}",
        "{ {} }",
        "{ '}' \"}\" }",
        "{ '\\'}' }",
        "{ '''}'\n}''' }",
        "{ \"\"\"}\"\"}\"\"\" }",
        "{ # } '\n }",
        "{ it's a lone quote }\n}",
        "{ r'\\'}' f\"{x['}']}\" }",
        "{ 'continued \\\n } line' }",
    ] {
        let whole = format!("{code} }}");
        assert_eq!(closing_brace(&whole, 0), Some(code.len()), "{code}");
    }
    assert_eq!(closing_brace("{ { }", 0), None);
    assert_eq!(closing_brace("{ ''' }", 0), None);
    assert_eq!(closing_brace("{ '\\", 0), None);
}

fn dedented(raw: &str) -> (String, u32, u32) {
    let found = dedent(raw);
    (found.code, found.removed, found.indent)
}

#[test]
fn code_loses_its_common_indentation_and_its_blank_ends() {
    assert_eq!(
        dedented("\n    a\n      b\n\n    c\n  "),
        ("a\n  b\n\nc".to_owned(), 1, 4)
    );
    assert_eq!(dedented(" a = 1 "), ("a = 1".to_owned(), 0, 0));
    assert_eq!(
        dedented(" if a:\n        b\n        c }"),
        ("if a:\nb\nc }".to_owned(), 0, 8)
    );
    assert_eq!(dedented("\r\n\ta\r\n\tb\r\n"), ("a\nb".to_owned(), 1, 1));
    assert_eq!(dedented("\n\ta\n    b\n"), ("\ta\n    b".to_owned(), 1, 0));
    assert_eq!(dedented("  "), (String::new(), 0, 0));
    assert_eq!(dedented("\n"), (String::new(), 1, 0));
    assert_eq!(dedented("\n\n  a\n\n"), ("\na\n".to_owned(), 1, 2));
}

#[test]
fn lines_of_a_string_do_not_decide_the_indentation_of_code() {
    let raw = "\n    a = '''\n  b\n      c\n\n'''\n    d = '''\n      e\n\n    '''\n";
    assert_eq!(
        dedented(raw).0,
        "a = '''\n  b\n      c\n\n'''\nd = '''\n  e\n\n'''"
    );
}
