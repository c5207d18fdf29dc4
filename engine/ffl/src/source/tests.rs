use super::{MAX_TEXT, Origin, Position, SourceError, Sources};

fn at(text: &str, offset: u32) -> (u32, u32) {
    let mut sources = Sources::new();
    let id = sources.add("a.ffl", Origin::Primary, text).expect("small");
    let Position { line, column } = sources.get(id).position(offset);
    (line, column)
}

#[test]
fn columns_count_characters_and_lines_end_with_a_newline() {
    let text = "ab\r\n\u{e9}x\n";
    assert_eq!(at(text, 0), (1, 1));
    assert_eq!(at(text, 3), (1, 4), "a carriage return is part of its line");
    assert_eq!(at(text, 4), (2, 1));
    assert_eq!(at(text, 6), (2, 2), "a letter of two bytes is one column");
    assert_eq!(at(text, 8), (3, 1), "the end of the text");
}

#[test]
fn a_byte_order_mark_has_no_column() {
    assert_eq!(at("\u{feff}ab", 3), (1, 1));
    assert_eq!(at("\u{feff}ab", 4), (1, 2));
}

#[test]
fn bytes_that_are_not_utf8_are_refused_with_their_line() {
    let mut sources = Sources::new();
    let refused = sources.add_bytes("a.ffl", Origin::Primary, b"a\nb\xff");
    let name = "a.ffl".to_owned();
    assert_eq!(
        refused,
        Err(SourceError::NotUtf8 {
            name,
            line: 2,
            offset: 3
        })
    );
}

#[test]
fn all_texts_together_are_limited() {
    let mut sources = Sources::new();
    let half = " ".repeat(MAX_TEXT / 2);
    sources
        .add("a.ffl", Origin::Primary, &half)
        .expect("half of the limit");
    sources
        .add("b.ffl", Origin::Library, &half)
        .expect("exactly the limit");
    let refused = sources.add("c.ffl", Origin::Library, " ");
    assert_eq!(
        refused,
        Err(SourceError::TooLarge {
            name: "c.ffl".to_owned(),
            bytes: MAX_TEXT + 1
        })
    );
    assert_eq!(sources.len(), 2);
}

#[test]
fn columns_of_a_long_line_are_those_of_all_characters_before() {
    let text = "\u{feff}".to_owned() + &"a\u{e9}\u{20ac}\u{1f600}".repeat(2_000) + "\nb";
    let mut sources = Sources::new();
    let id = sources.add("a.ffl", Origin::Primary, &text).expect("small");
    let source = sources.get(id);
    let line = text.strip_suffix("\nb").expect("the last line");
    for (column, (offset, _)) in (0..).zip(line.char_indices()) {
        let at = source.position(u32::try_from(offset).expect("small"));
        assert_eq!((at.line, at.column), (1, column.max(1)), "offset={offset}");
    }
    let last = source.position(u32::try_from(text.len()).expect("small"));
    assert_eq!((last.line, last.column), (2, 2));
}
