//! The lexer: one pass over the bytes of a text.

use super::{Comment, CommentKind, Token, TokenKind, script};
use crate::diag::{Code, Diagnostic};
use crate::source::{SourceId, Span};

/// The most characters that an identifier may have.
pub const MAX_IDENTIFIER: usize = 120;

/// What the lexer found.
pub(crate) struct Lexed {
    /// The tokens; the last one is [`TokenKind::End`].
    pub(crate) tokens: Vec<Token>,
    /// The comments, in text order.
    pub(crate) comments: Vec<Comment>,
    /// What is wrong, in text order; at most as many as asked for.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// True if a string, comment or script reaches to the end of the text, so that everything
    /// after its start is missing.
    pub(crate) cut_off: bool,
}

/// Reads `text`, and reports at most `max_errors` errors.
pub(crate) fn lex(source: SourceId, text: &str, max_errors: usize) -> Lexed {
    let mut lexer = Lexer {
        source,
        text,
        bytes: text.as_bytes(),
        at: if text.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            0
        },
        first_in_line: true,
        max_errors,
        found: Lexed {
            tokens: Vec::new(),
            comments: Vec::new(),
            diagnostics: Vec::new(),
            cut_off: false,
        },
    };
    while lexer.at < lexer.bytes.len() {
        lexer.step();
    }
    let end = lexer.at;
    lexer.token(TokenKind::End, end, end);
    lexer.found
}

struct Lexer<'a> {
    source: SourceId,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    first_in_line: bool,
    max_errors: usize,
    found: Lexed,
}

impl Lexer<'_> {
    /// Reads one token, comment or blank at `at`, and moves `at` after it.
    fn step(&mut self) {
        let start = self.at;
        let next = self.bytes.get(start + 1).copied();
        match self.bytes[start] {
            b'\n' => {
                self.first_in_line = true;
                self.at += 1;
            }
            b' ' | b'\t' | b'\r' => self.at += 1,
            b'/' if next == Some(b'/') => {
                let rest = &self.text[start..];
                let end = start + rest.find('\n').unwrap_or(rest.len());
                let end = start + self.text[start..end].trim_end_matches('\r').len();
                self.comment(CommentKind::Line, start, end);
            }
            b'/' if next == Some(b'*') => self.block_comment(start),
            b'"' => self.string(start),
            b'{' if self.begins_script() => self.script(start),
            b'0'..=b'9' => {
                let end = self.number_end(start);
                self.token(TokenKind::Number, start, end);
            }
            byte => match punctuation(byte, next) {
                Some((kind, length)) => self.token(kind, start, start + length),
                None => self.word(start),
            },
        }
    }

    fn token(&mut self, kind: TokenKind, start: usize, end: usize) {
        let span = self.span(start, end);
        self.found.tokens.push(Token {
            kind,
            start: span.start,
            end: span.end,
            first_in_line: self.first_in_line,
            comments: u32::try_from(self.found.comments.len())
                .expect("there are fewer comments than bytes"),
        });
        self.first_in_line = false;
        self.at = end;
    }

    fn comment(&mut self, kind: CommentKind, start: usize, end: usize) {
        let span = self.span(start, end);
        self.found.comments.push(Comment { kind, span });
        self.at = end;
    }

    fn span(&self, start: usize, end: usize) -> Span {
        let offset = |at| u32::try_from(at).expect("a text is at most MAX_TEXT bytes long");
        Span::new(self.source, offset(start), offset(end))
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.found.diagnostics.len() < self.max_errors {
            self.found.diagnostics.push(diagnostic);
        }
    }

    fn block_comment(&mut self, start: usize) {
        let Some(length) = self.text[start + 2..].find("*/") else {
            let opening = self.span(start, start + 2);
            self.report(
                Diagnostic::new(Code::E003, opening, "the comment does not end")
                    .help("close it with `*/`"),
            );
            return self.cut_off();
        };
        let end = start + 2 + length + 2;
        let text = &self.text[start..end];
        if text.contains('\n') {
            self.first_in_line = true;
        }
        self.comment(CommentKind::of_block(text), start, end);
    }

    fn string(&mut self, start: usize) {
        let mut at = start + 1;
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'"' => return self.token(TokenKind::String, start, at + 1),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        let opening = self.span(start, start + 1);
        self.report(
            Diagnostic::new(Code::E002, opening, "the string does not end")
                .help("close it with `\"`"),
        );
        self.cut_off();
    }

    fn script(&mut self, start: usize) {
        if let Some(end) = script::closing_brace(self.text, start) {
            return self.token(TokenKind::Script, start, end);
        }
        let opening = self.span(start, start + 1);
        self.report(
            Diagnostic::new(Code::E004, opening, "the script has no closing brace")
                .help("braces in Python's strings and comments are not counted"),
        );
        self.cut_off();
    }

    /// Ends the text here: what follows belongs to something that does not end.
    fn cut_off(&mut self) {
        self.found.cut_off = true;
        self.at = self.bytes.len();
    }

    /// True if a `{` at this place begins raw code: it follows the keyword `script`, or `script` and
    /// the name of a language. `script` is no keyword where a name precedes this brace.
    fn begins_script(&self) -> bool {
        let mut before = self.found.tokens.iter().rev().copied();
        let Some(mut word) = before.next() else {
            return false;
        };
        if word.kind == TokenKind::Ident
            && !["script", "catch", "when"].contains(&self.word_of(word))
        {
            let Some(earlier) = before.next() else {
                return false;
            };
            word = earlier;
        }
        if word.kind != TokenKind::Ident || self.word_of(word) != "script" {
            return false;
        }
        // `as` after a parenthesis begins an alias: the word after it is a name, `script` follows it.
        let [previous, second, third] = [before.next(), before.next(), before.next()];
        let is =
            |token: Option<Token>, text| token.is_some_and(|token| self.word_of(token) == text);
        let follows_alias = is(second, "as") && is(third, ")");
        let is_name = ["schema", "namespace", ".", "as", "in"]
            .iter()
            .any(|name| is(previous, name));
        follows_alias || !is_name
    }

    fn word_of(&self, token: Token) -> &str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// The end of what begins with a digit: digits, letters, one point, and the sign of an exponent.
    fn number_end(&self, start: usize) -> usize {
        let mut at = start;
        let mut point = false;
        while let Some(byte) = self.bytes.get(at).copied() {
            let exponent = point && matches!(self.bytes[at - 1], b'e' | b'E');
            match byte {
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => {}
                b'+' | b'-'
                    if exponent && self.bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {}
                b'.' if !point => point = true,
                _ => break,
            }
            at += 1;
        }
        at
    }

    /// An identifier, or characters that are no token.
    fn word(&mut self, start: usize) {
        let rest = &self.text[start..];
        let in_word = |char: char| char == '_' || char.is_alphanumeric();
        let length = rest.find(|char| !in_word(char)).unwrap_or(rest.len());
        if length == 0 {
            return self.unexpected(start);
        }
        let word = &rest[..length];
        if let Some(at) = word.find(|char: char| !char.is_ascii()) {
            let char = word[at..]
                .chars()
                .next()
                .expect("find() gives the start of a character");
            let span = self.span(start + at, start + at + char.len_utf8());
            self.report(
                Diagnostic::new(
                    Code::E005,
                    span,
                    format!("an identifier cannot contain `{char}`"),
                )
                .help("an identifier consists of the letters a to z and A to Z, digits and `_`"),
            );
        } else if length > MAX_IDENTIFIER {
            let message = format!(
                "the identifier has more than {MAX_IDENTIFIER} characters: length={length}"
            );
            let span = self.span(start, start + length);
            self.report(Diagnostic::new(Code::E008, span, message));
        }
        self.token(TokenKind::Ident, start, start + length);
    }

    fn unexpected(&mut self, start: usize) {
        let rest = &self.text[start..];
        let char = rest
            .chars()
            .next()
            .expect("step() is called before the end");
        let help = match char {
            '\'' => Some("a string is written in double quotes"),
            '&' => Some("the operator is `&&`"),
            '|' => Some("the operator is `||`"),
            '#' => Some("a map is written as `#{ key: value }`; a comment begins with `//`"),
            _ => None,
        };
        let mut length = rest
            .chars()
            .take_while(|next| *next == char)
            .map(char::len_utf8)
            .sum();
        if char == '\'' {
            // The whole of a string in the wrong quotes, if it ends on its line.
            let line = rest[1..].split('\n').next().unwrap_or_default();
            length = line.find('\'').map_or(length, |end| end + 2);
        }
        let span = self.span(start, start + char.len_utf8());
        let mut found = Diagnostic::new(Code::E005, span, format!("unexpected character {char:?}"));
        found.help = help.map(str::to_owned);
        self.report(found);
        self.token(TokenKind::Invalid, start, start + length);
    }
}

/// The token of one or two characters that begins with `byte`, and its length.
fn punctuation(byte: u8, next: Option<u8>) -> Option<(TokenKind, usize)> {
    let two = match (byte, next) {
        (b'#', Some(b'{')) => TokenKind::HashBrace,
        (b'=', Some(b'>')) => TokenKind::Arrow,
        (b'=', Some(b'=')) => TokenKind::EqEq,
        (b'!', Some(b'=')) => TokenKind::NotEq,
        (b'>', Some(b'=')) => TokenKind::GreaterEq,
        (b'<', Some(b'=')) => TokenKind::LessEq,
        (b'&', Some(b'&')) => TokenKind::AndAnd,
        (b'|', Some(b'|')) => TokenKind::OrOr,
        (b'+', Some(b'+')) => TokenKind::PlusPlus,
        _ => return single(byte).map(|kind| (kind, 1)),
    };
    Some((two, 2))
}

fn single(byte: u8) -> Option<TokenKind> {
    Some(match byte {
        b'{' => TokenKind::LBrace,
        b'}' => TokenKind::RBrace,
        b'(' => TokenKind::LParen,
        b')' => TokenKind::RParen,
        b'[' => TokenKind::LBracket,
        b']' => TokenKind::RBracket,
        b',' => TokenKind::Comma,
        b':' => TokenKind::Colon,
        b';' => TokenKind::Semicolon,
        b'.' => TokenKind::Dot,
        b'$' => TokenKind::Dollar,
        b'=' => TokenKind::Assign,
        b'>' => TokenKind::Greater,
        b'<' => TokenKind::Less,
        b'+' => TokenKind::Plus,
        b'-' => TokenKind::Minus,
        b'*' => TokenKind::Star,
        b'/' => TokenKind::Slash,
        b'%' => TokenKind::Percent,
        b'!' => TokenKind::Bang,
        _ => return None,
    })
}
