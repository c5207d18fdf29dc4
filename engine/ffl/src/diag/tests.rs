use super::{Code, Diagnostic, Severity, located, sort};
use crate::source::{Origin, Sources, Span};

#[test]
fn every_code_is_one_letter_and_three_digits_in_ascending_order() {
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    for code in &codes {
        let (letter, digits) = code.split_at(1);
        assert!(letter == "E" || letter == "W", "{code}");
        assert!(
            digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit()),
            "{code}"
        );
    }
    assert!(codes.is_sorted(), "{codes:?}");
    assert_eq!(Code::W105.severity(), Severity::Warning);
    assert_eq!(Code::E105.severity(), Severity::Error);
}

#[test]
fn diagnostics_are_sorted_by_position_and_reported_once() {
    let mut sources = Sources::new();
    let a = sources
        .add("a.ffl", Origin::Primary, "one two")
        .expect("small");
    let b = sources.add("b.ffl", Origin::Primary, "one").expect("small");
    let early = Diagnostic::new(Code::E202, Span::new(a, 0, 3), "early");
    let late = Diagnostic::new(Code::E101, Span::new(a, 4, 7), "late");
    let other = Diagnostic::new(Code::E101, Span::new(b, 0, 3), "other");
    let mut all = vec![other.clone(), late.clone(), early.clone(), late.clone()];
    sort(&mut all);
    assert_eq!(all, [early, late, other]);
}

#[test]
fn the_json_form_has_file_line_and_column() {
    let mut sources = Sources::new();
    let id = sources
        .add("a.ffl", Origin::Primary, "one\ntwo")
        .expect("small");
    let found = Diagnostic::new(Code::E101, Span::new(id, 4, 7), "two declarations of two")
        .label(Span::new(id, 0, 3), "first declared here")
        .help("rename one of them");
    let json = serde_json::to_value(located(&[found], &sources)).expect("plain data");
    let place = |line, start, end| {
        serde_json::json!({
            "file": "a.ffl", "line": line, "column": 1, "endLine": line, "endColumn": 4,
            "start": start, "end": end,
        })
    };
    let expected = serde_json::json!([{
        "code": "E101",
        "severity": "error",
        "message": "two declarations of two",
        "span": place(2, 4, 7),
        "labels": [{"span": place(1, 0, 3), "text": "first declared here"}],
        "help": "rename one of them",
    }]);
    assert_eq!(json, expected);
}
