//! The cursor over the tokens, errors, and the limit of nesting.

use std::borrow::Cow;

use super::MAX_ERRORS;
use super::braces::Balance;
use crate::diag::{Code, Diagnostic};
use crate::lex::{Comment, Lexed, Token, TokenKind, lex, unescape};
use crate::source::{LineIndex, Source, SourceId, Span};

/// The most levels to which blocks, types and expressions nest.
pub const MAX_DEPTH: u32 = 200;

/// An error was reported, and what was to be read is missing. The nearest list, statement or
/// declaration recovers.
#[derive(Debug)]
pub(super) struct Failed;

pub(super) type Parse<T> = Result<T, Failed>;

pub(super) struct Parser<'a> {
    source: SourceId,
    text: &'a str,
    lines: &'a LineIndex,
    lexed: Lexed,
    /// The index of the next token.
    pub(super) at: usize,
    depth: u32,
    /// The number of `when` around the next token.
    pub(super) whens: u32,
    pub(super) balance: Balance,
    /// What closes the lists and brackets around the next token.
    pub(super) open_brackets: Vec<TokenKind>,
    errors: Vec<Diagnostic>,
    /// The index of the token that the last syntax error is about.
    last_error: Option<usize>,
    halted: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(id: SourceId, source: &'a Source) -> Self {
        let lexed = lex(id, source.text(), MAX_ERRORS);
        let balance = if lexed.cut_off {
            Balance::default()
        } else {
            Balance::of(&lexed.tokens)
        };
        Self {
            source: id,
            text: source.text(),
            lines: source.lines(),
            lexed,
            at: 0,
            depth: 0,
            whens: 0,
            balance,
            open_brackets: Vec::new(),
            errors: Vec::new(),
            last_error: None,
            halted: false,
        }
    }

    /// The comments, and all errors of lexer and parser.
    pub(super) fn finish(self) -> (Vec<Comment>, Vec<Diagnostic>) {
        let mut all = self.lexed.diagnostics;
        all.extend(self.errors);
        (self.lexed.comments, all)
    }

    pub(super) fn source(&self) -> SourceId {
        self.source
    }

    pub(super) fn lines(&self) -> &'a LineIndex {
        self.lines
    }

    /// The next token but `ahead`; at the end of the text, its last one.
    pub(super) fn peek_at(&self, ahead: usize) -> Token {
        let last = self.lexed.tokens.len() - 1;
        self.lexed.tokens[(self.at + ahead).min(last)]
    }

    pub(super) fn peek(&self) -> Token {
        self.peek_at(0)
    }

    /// The token before the next one.
    pub(super) fn previous(&self) -> Option<Token> {
        self.at
            .checked_sub(1)
            .map(|before| self.lexed.tokens[before])
    }

    /// Takes the next token. The end of the text can be taken any number of times.
    pub(super) fn bump(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    pub(super) fn at(&self, kind: TokenKind) -> bool {
        self.peek().kind == kind
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn text(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// True if the next token but `ahead` is the identifier `word`.
    pub(super) fn is_word(&self, ahead: usize, word: &str) -> bool {
        let token = self.peek_at(ahead);
        token.kind == TokenKind::Ident && self.text(token) == word
    }

    /// True if the next token is the keyword `word`, and not a name before `=`.
    pub(super) fn at_keyword(&self, word: &str) -> bool {
        self.is_word(0, word) && self.peek_at(1).kind != TokenKind::Assign
    }

    pub(super) fn eat_keyword(&mut self, word: &str) -> bool {
        let found = self.at_keyword(word);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn span(&self, token: Token) -> Span {
        Span::new(self.source, token.start, token.end)
    }

    /// From the start of `first` to the end of the last token taken.
    pub(super) fn span_from(&self, first: Token) -> Span {
        let end = self.previous().map_or(first.end, |token| token.end);
        Span::new(self.source, first.start, end.max(first.start))
    }

    /// The number of blanks before the first token of the line of `token`.
    pub(super) fn indentation(&self, token: Token) -> u32 {
        let line = &self.text[(token.start - self.column(token)) as usize..];
        let blanks = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
        u32::try_from(blanks.count()).expect("a text is at most MAX_TEXT bytes long")
    }

    /// The column of a token in bytes, from 0: how far its line is indented if it is the first.
    pub(super) fn column(&self, token: Token) -> u32 {
        let line = self.lines.line(token.start);
        token.start
            - self
                .lines
                .start(line)
                .expect("line() gives a line of the text")
    }

    /// The comments between the next token and the one before it; semicolons do not count.
    pub(super) fn comments_before(&self) -> &[Comment] {
        let before = &self.lexed.tokens[..self.at];
        let previous = before
            .iter()
            .rfind(|token| token.kind != TokenKind::Semicolon);
        let first = previous.map_or(0, |token| token.comments);
        &self.lexed.comments[first as usize..self.peek().comments as usize]
    }

    pub(super) fn slice(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    /// Reports an error that has no effect on how the text is read.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.halted {
            return;
        }
        self.errors.push(diagnostic);
        if self.errors.len() >= MAX_ERRORS {
            self.halt();
        }
    }

    /// Reports a syntax error about the next token, unless that token has caused one already.
    pub(super) fn error(&mut self, message: impl Into<String>) -> Failed {
        let diagnostic = Diagnostic::new(Code::E001, self.span(self.peek()), message);
        self.error_with(|_| diagnostic)
    }

    /// Like [`Self::error`], with labels and help.
    pub(super) fn error_with(&mut self, diagnostic: impl FnOnce(Span) -> Diagnostic) -> Failed {
        let token = self.peek();
        let reported = match token.kind {
            TokenKind::Invalid => true,
            TokenKind::End => self.lexed.cut_off,
            _ => false,
        };
        if !reported && self.last_error != Some(self.at) {
            self.last_error = Some(self.at);
            self.report(diagnostic(self.span(token)));
        }
        Failed
    }

    /// Reports that `what` was expected instead of the next token.
    pub(super) fn expected(&mut self, what: &str) -> Failed {
        let message = format!("expected {what}, found {}", self.found());
        self.error(message)
    }

    /// The next token, for a message.
    pub(super) fn found(&self) -> String {
        let token = self.peek();
        match token.kind {
            TokenKind::Ident | TokenKind::Number if token.end - token.start <= 40 => {
                format!("`{}`", self.text(token))
            }
            kind => kind.describe().to_owned(),
        }
    }

    pub(super) fn expect(&mut self, kind: TokenKind, after: &str) -> Parse<Token> {
        if self.at(kind) {
            return Ok(self.bump());
        }
        Err(self.expected(&format!("{} {after}", kind.describe())))
    }

    /// The closing bracket of `open`, which may be missing: then that is reported.
    pub(super) fn close(&mut self, kind: TokenKind, open: Token, what: &str) {
        if !self.eat(kind) {
            self.not_closed(kind, open, what);
        }
    }

    /// Reports that the closing bracket of `open` is missing.
    pub(super) fn not_closed(&mut self, kind: TokenKind, open: Token, what: &str) {
        let bracket = kind.describe();
        let message = if self.at(kind) {
            format!("expected {bracket} {what} before this {bracket}, which closes an outer part")
        } else {
            format!("expected {bracket} {what}, found {}", self.found())
        };
        let open = self.span(open);
        self.error_with(|span| {
            Diagnostic::new(Code::E001, span, message).label(open, "opened here")
        });
    }

    /// Reads something that is one level deeper.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Reports that the text nests too deeply, and reads nothing more.
    pub(super) fn too_deep(&mut self) -> Failed {
        let message = format!("the text is nested too deeply: limit={MAX_DEPTH}");
        let failed = self.error_with(|span| {
            Diagnostic::new(Code::E009, span, message)
                .help("move inner parts to steps or facets of their own")
        });
        self.halt();
        failed
    }

    /// Takes all tokens, and reports nothing more.
    fn halt(&mut self) {
        self.halted = true;
        self.at = self.lexed.tokens.len() - 1;
    }

    /// The value of a string literal; escapes that denote no character are reported.
    pub(super) fn string_value(&mut self, token: Token) -> String {
        let raw = self.text(token);
        let (value, wrong) = unescape(&raw[1..raw.len() - 1]);
        let value = Cow::into_owned(value);
        for range in wrong {
            let offset = |at: usize| token.start + 1 + u32::try_from(at).expect("within the token");
            let span = Span::new(self.source, offset(range.start), offset(range.end));
            self.report(
                Diagnostic::new(
                    Code::E007,
                    span,
                    format!("`{}` denotes no character", self.slice(span)),
                )
                .help("write a character above U+FFFF as `\\U` with eight digits"),
            );
        }
        value
    }
}
