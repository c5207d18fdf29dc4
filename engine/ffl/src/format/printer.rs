//! The cursor over tokens and comments.

use super::layout::{Piece, Pieces};
use crate::lex::{Comment, CommentKind, Token, TokenKind, lex};
use crate::source::SourceId;

pub(super) struct Printer<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    /// The index of the next token.
    at: usize,
    /// The index of the next comment.
    comment: usize,
    /// The offset at which the last token or comment ends.
    end: usize,
    /// True until the first item of the file or of a block.
    first: bool,
    pieces: Pieces,
}

impl<'a> Printer<'a> {
    pub(super) fn new(source: SourceId, text: &'a str) -> Self {
        let lexed = lex(source, text, 0);
        Self {
            text,
            tokens: lexed.tokens,
            comments: lexed.comments,
            at: 0,
            comment: 0,
            end: 0,
            first: true,
            pieces: Pieces::default(),
        }
    }

    pub(super) fn finish(self) -> String {
        debug_assert_eq!(self.next(), TokenKind::End, "each token is printed");
        self.pieces.render()
    }

    /// The kind of the next token.
    pub(super) fn next(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    pub(super) fn push(&mut self, piece: Piece) {
        self.pieces.push(piece);
    }

    pub(super) fn space(&mut self) {
        self.push(Piece::Space);
    }

    pub(super) fn group(&mut self, print: impl FnOnce(&mut Self)) {
        let group = self.inner(print);
        self.push(Piece::Group(group));
    }

    pub(super) fn indent(&mut self, print: impl FnOnce(&mut Self)) {
        let indented = self.inner(print);
        self.push(Piece::Indent(indented));
    }

    fn inner(&mut self, print: impl FnOnce(&mut Self)) -> Pieces {
        let outer = std::mem::take(&mut self.pieces);
        print(self);
        std::mem::replace(&mut self.pieces, outer)
    }

    /// Prints the next token as it is written, after the comments before it.
    pub(super) fn token(&mut self) {
        let token = self.tokens[self.at];
        self.token_as(&self.text[token.start as usize..token.end as usize]);
    }

    /// Prints the next token as `text`.
    pub(super) fn token_as(&mut self, text: &str) {
        self.comments_before_next();
        self.push(Piece::Text(text.to_owned()));
        self.pass();
    }

    /// Prints the next token, a comma; comments before it follow it.
    pub(super) fn comma(&mut self) {
        debug_assert_eq!(self.next(), TokenKind::Comma);
        self.push(Piece::Text(",".to_owned()));
        self.pass();
    }

    /// Leaves out semicolons.
    pub(super) fn semicolons(&mut self) {
        while self.next() == TokenKind::Semicolon {
            self.pass();
        }
    }

    /// Moves behind the next token.
    fn pass(&mut self) {
        self.end = self.tokens[self.at].end as usize;
        if self.next() != TokenKind::End {
            self.at += 1;
        }
    }

    /// Prints the comments before the next token, within a line or list.
    pub(super) fn comments_before_next(&mut self) {
        self.trailing_comments();
        while let Some(comment) = self.next_comment() {
            self.push(Piece::Hard);
            self.print_comment(comment);
            let next = self
                .next_comment()
                .map_or(self.tokens[self.at].start, |next| next.span.start);
            let between = &self.text[comment.span.end as usize..next as usize];
            let ends_line = comment.kind == CommentKind::Line || line_breaks(between) > 0;
            self.push(if ends_line {
                Piece::BreakNext
            } else {
                Piece::Space
            });
        }
    }

    /// Prints the comments on the line of the last token.
    fn trailing_comments(&mut self) {
        while let Some(comment) = self.next_comment() {
            if self.breaks_before(comment) > 0 {
                return;
            }
            self.space();
            self.print_comment(comment);
            if comment.kind == CommentKind::Line {
                return self.push(Piece::BreakNext);
            }
            self.space();
        }
    }

    /// A possible line break, after the comments on the line of the last token.
    pub(super) fn break_as(&mut self, piece: Piece) {
        self.trailing_comments();
        self.push(piece);
    }

    /// Begins a block: what follows is its first item.
    pub(super) fn begin_items(&mut self) {
        self.first = true;
    }

    /// Begins a line for the next item of a file or block, and prints the comments before it. An
    /// empty line of the source stays, but for the start of the block.
    pub(super) fn item(&mut self) {
        let begins_line = self.item_comments();
        let token = self.tokens[self.at];
        let breaks = line_breaks(&self.text[self.end..token.start as usize]);
        if begins_line && breaks == 0 {
            self.space();
        } else {
            self.item_break(breaks);
        }
    }

    /// Prints the comments at the end of a block; false if there are none.
    pub(super) fn end_items(&mut self) -> bool {
        let first = self.comment;
        self.item_comments();
        self.first = false;
        self.comment > first
    }

    /// Prints the comments before an item. True if the last one begins a line on which the item can
    /// follow.
    fn item_comments(&mut self) -> bool {
        let mut begins_line = false;
        while let Some(comment) = self.next_comment() {
            let breaks = self.breaks_before(comment);
            let is_line = comment.kind == CommentKind::Line;
            // A comment on the line of the token before it stays there.
            let trails = breaks == 0 && self.end > 0 && (is_line || !self.first);
            if trails {
                self.space();
            } else {
                self.item_break(breaks);
            }
            begins_line = !is_line && (begins_line || !trails);
            self.first = false;
            self.print_comment(comment);
            if is_line {
                self.push(Piece::BreakNext);
            }
        }
        begins_line
    }

    fn item_break(&mut self, breaks: usize) {
        self.push(if breaks > 1 && !self.first {
            Piece::Blank
        } else {
            Piece::Hard
        });
        self.first = false;
    }

    /// The next comment, if it precedes the next token.
    fn next_comment(&self) -> Option<Comment> {
        let last = self.tokens[self.at].comments as usize;
        self.comments
            .get(self.comment)
            .copied()
            .filter(|_| self.comment < last)
    }

    fn breaks_before(&self, comment: Comment) -> usize {
        // A comment before a comma that has been printed has its place before `end`.
        let start = comment.span.start as usize;
        let before = self.previous_end(start);
        line_breaks(&self.text[before..start])
    }

    /// The offset at which the token or comment before `start` ends.
    fn previous_end(&self, start: usize) -> usize {
        let token = self
            .tokens
            .partition_point(|token| (token.end as usize) <= start);
        let token_end = token
            .checked_sub(1)
            .map_or(0, |last| self.tokens[last].end as usize);
        let comment = self.comment.checked_sub(1);
        let comment_end = comment.map_or(0, |last| self.comments[last].span.end as usize);
        token_end.max(comment_end)
    }

    fn print_comment(&mut self, comment: Comment) {
        let text = self.text[comment.span.range()].trim_end();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let piece = match lines.as_slice() {
            [first, rest @ ..] if rest.iter().all(|line| line.starts_with('*')) => {
                let rest = rest.iter().map(|line| format!(" {line}"));
                Piece::Lines(std::iter::once((*first).to_owned()).chain(rest).collect())
            }
            _ => {
                let lines = text.split('\n').map(|line| line.trim_end_matches('\r'));
                Piece::Text(lines.collect::<Vec<_>>().join("\n"))
            }
        };
        self.push(piece);
        self.end = self.end.max(comment.span.end as usize);
        self.comment += 1;
    }
}

fn line_breaks(between: &str) -> usize {
    between.bytes().filter(|byte| *byte == b'\n').count()
}
