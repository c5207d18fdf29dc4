//! What holds for every text.

mod properties {
    pub(crate) mod generate;
}

use millpond_ffl::fuzz::text as holds;
use properties::generate::{Token, program, text_of};
use proptest::prelude::*;

/// Texts that the language consists of, and some that it does not.
const PIECES: [&str; 64] = [
    "namespace",
    "use",
    "facet",
    "event facet",
    "workflow",
    "schema",
    "implicit",
    "with",
    "as",
    "script",
    "script python",
    "prompt",
    "andThen",
    "foreach",
    "in",
    "when",
    "case",
    "yield",
    "catch",
    "_ =>",
    "a",
    "b.c",
    "$.x",
    "$",
    "s = F()",
    "F(",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "#{",
    ",",
    ":",
    ";",
    "=",
    "=>",
    "==",
    "<",
    "++",
    "+",
    "-",
    "!",
    "&&",
    "|",
    "&",
    "1",
    "1.5",
    "1e5",
    "99999999999999999999",
    "\"text\"",
    "\"",
    "'",
    "// c\n",
    "/* c */",
    "/** d */",
    "/*",
    "\n",
    "\\",
    "@",
    "\u{e9}",
    "\u{feff}",
    ".",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn formatting_keeps_the_tree_and_the_comments_and_is_idempotent(
        choices in prop::collection::vec(any::<u8>(), 0..300),
        blanks in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let text = text_of(&program(&choices), &blanks);
        prop_assert!(holds(text.as_bytes()), "it has errors: {}", text);
    }

    #[test]
    fn a_changed_program_neither_panics_nor_hangs(
        choices in prop::collection::vec(any::<u8>(), 0..300),
        blanks in prop::collection::vec(any::<u8>(), 0..20),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
    ) {
        let mut tokens = program(&choices);
        for (number, (at, other)) in changes.iter().enumerate() {
            let (at, other) = (at.index(tokens.len()), other.index(PIECES.len()));
            match number {
                0 => { tokens.remove(at); }
                1 => tokens.insert(at, Token { text: PIECES[other].to_owned(), glued: false }),
                _ => tokens.swap(at, 0),
            }
            if tokens.is_empty() {
                break;
            }
        }
        let _accepted = holds(text_of(&tokens, &blanks).as_bytes());
    }

    #[test]
    fn pieces_of_the_language_in_any_order_neither_panic_nor_hang(
        pieces in prop::collection::vec((0..PIECES.len(), any::<bool>()), 0..200),
    ) {
        let text: String = pieces
            .iter()
            .flat_map(|(piece, blank)| [PIECES[*piece], if *blank { " " } else { "" }])
            .collect();
        let _accepted = holds(text.as_bytes());
    }

    #[test]
    fn any_characters_neither_panic_nor_hang(text in any::<String>()) {
        let _accepted = holds(text.as_bytes());
    }
}
