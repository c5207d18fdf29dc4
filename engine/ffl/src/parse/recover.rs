//! Where to continue after an error.

use super::parser::Parser;
use crate::lex::TokenKind;

/// Where [`Parser::skip_in_list`] stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// At a comma of the list.
    Comma,
    /// At the bracket that closes the list.
    Close,
    /// At something that cannot be part of the list: its bracket is missing.
    Outside,
}

impl Parser<'_> {
    /// True if a step begins `ahead` tokens from here: `name = Target(`. An argument cannot look
    /// like this, since a call is no expression.
    pub(super) fn is_step(&self, ahead: usize) -> bool {
        if !self.is_named(ahead, TokenKind::Assign)
            || self.peek_at(ahead + 2).kind != TokenKind::Ident
        {
            return false;
        }
        let mut next = ahead + 3;
        while self.peek_at(next).kind == TokenKind::Dot
            && self.peek_at(next + 1).kind == TokenKind::Ident
        {
            next += 2;
        }
        self.peek_at(next).kind == TokenKind::LParen
    }

    /// True if an identifier and `mark` follow, `ahead` tokens from here.
    pub(super) fn is_named(&self, ahead: usize, mark: TokenKind) -> bool {
        self.peek_at(ahead).kind == TokenKind::Ident && self.peek_at(ahead + 1).kind == mark
    }

    /// True if a declaration, an import or a namespace begins `ahead` tokens from here: a keyword
    /// and a name.
    pub(super) fn is_decl(&self, ahead: usize) -> bool {
        const KEYWORDS: [&str; 7] = [
            "namespace",
            "facet",
            "workflow",
            "schema",
            "implicit",
            "use",
            "uses",
        ];
        let is_keyword = KEYWORDS.iter().any(|word| self.is_word(ahead, word))
            || (self.is_word(ahead, "event") && self.is_word(ahead + 1, "facet"));
        is_keyword && self.peek_at(ahead + 1).kind == TokenKind::Ident
    }

    /// True if the next token begins a clause of a step or declaration.
    pub(super) fn at_clause(&self) -> bool {
        let next = self.peek_at(1).kind;
        let word = |word| self.is_word(0, word);
        let names = next == TokenKind::Ident;
        (word("andThen") && (names || next == TokenKind::LBrace))
            || (word("catch") && (self.is_word(1, "when") || next == TokenKind::LBrace))
            || ((word("yield") || word("with")) && names)
            || (word("prompt") && next == TokenKind::LBrace)
            || (word("script") && matches!(next, TokenKind::Script | TokenKind::String))
    }

    /// True if the next token begins a statement or clause of a block.
    fn at_statement(&self) -> bool {
        self.is_step(0)
            || self.is_named(0, TokenKind::Assign)
            || self.at_clause()
            || (self.at_keyword("case") && self.peek_at(1).kind != TokenKind::Colon)
    }

    /// Skips the rest of a list item, up to a comma or `close`.
    pub(super) fn skip_in_list(&mut self, close: TokenKind) -> Stop {
        let mut open = Open::default();
        loop {
            let token = self.peek();
            if open.is_empty() {
                match token.kind {
                    kind if kind == close => return Stop::Close,
                    TokenKind::Comma => return Stop::Comma,
                    TokenKind::Arrow | TokenKind::Semicolon => return Stop::Outside,
                    // Of an outer list, or without its counterpart.
                    TokenKind::RParen | TokenKind::RBracket
                        if self.open_brackets.contains(&token.kind) =>
                    {
                        return Stop::Outside;
                    }
                    _ => {}
                }
            }
            let sync =
                self.is_step(0) || self.at_clause() || (token.first_in_line && self.is_decl(0));
            if (sync && open.braces == 0) || !self.skip_one(&mut open) {
                return Stop::Outside;
            }
        }
    }

    /// Skips the rest of a statement that began at `start`, up to the next statement, the next
    /// declaration, or the end of the block.
    pub(super) fn skip_statement(&mut self, start: usize) {
        let mut open = Open::default();
        loop {
            if self.at > start && open.braces == 0 {
                let sync = if open.is_empty() {
                    self.at_statement()
                } else {
                    self.is_step(0)
                };
                if sync || (self.peek().first_in_line && self.is_decl(0)) {
                    return;
                }
            }
            if !self.skip_one(&mut open) {
                return;
            }
        }
    }

    /// Skips the rest of a clause of a declaration that began at `start`, up to the next clause, the
    /// next declaration, or the end of the namespace.
    pub(super) fn skip_clause(&mut self, start: usize) {
        let mut open = Open::default();
        loop {
            let sync = (open.is_empty() && self.at_clause())
                || (self.peek().first_in_line && self.is_decl(0));
            if (self.at > start && sync) || !self.skip_one(&mut open) {
                return;
            }
        }
    }

    /// Skips to the next declaration at the start of a line, or to the end of the namespace.
    pub(super) fn skip_to_decl(&mut self, start: usize) {
        let mut open = Open::default();
        loop {
            if self.at > start && self.peek().first_in_line && self.is_decl(0) {
                return;
            }
            if !self.skip_one(&mut open) {
                return;
            }
        }
    }

    /// Skips to the next brace that closes what was opened before, and takes it.
    pub(super) fn skip_braces(&mut self) {
        let mut open = Open::default();
        while self.skip_one(&mut open) {}
        self.eat(TokenKind::RBrace);
    }

    /// Takes one token, and keeps account of the brackets that it opens or closes. Takes nothing
    /// and gives false at the end of the text, and at a brace that was opened before.
    fn skip_one(&mut self, open: &mut Open) -> bool {
        let kind = self.peek().kind;
        match kind {
            TokenKind::End => return false,
            TokenKind::LBrace | TokenKind::HashBrace => open.push(TokenKind::RBrace),
            TokenKind::LParen => open.push(TokenKind::RParen),
            TokenKind::LBracket => open.push(TokenKind::RBracket),
            TokenKind::RBrace if open.braces == 0 => return false,
            TokenKind::RBrace | TokenKind::RParen | TokenKind::RBracket => open.close(kind),
            _ => {}
        }
        self.bump();
        true
    }
}

/// The brackets that were opened while tokens were skipped.
#[derive(Default)]
struct Open {
    /// The kinds that close them.
    closing: Vec<TokenKind>,
    /// How many of them are braces.
    braces: usize,
}

impl Open {
    fn is_empty(&self) -> bool {
        self.closing.is_empty()
    }

    fn push(&mut self, closing: TokenKind) {
        self.braces += usize::from(closing == TokenKind::RBrace);
        self.closing.push(closing);
    }

    /// A brace also closes the parentheses within it that lack their own. Another bracket closes
    /// only its counterpart.
    fn close(&mut self, kind: TokenKind) {
        if kind != TokenKind::RBrace {
            if self.closing.last() == Some(&kind) {
                self.closing.pop();
            }
            return;
        }
        while let Some(closed) = self.closing.pop() {
            if closed == TokenKind::RBrace {
                self.braces -= 1;
                return;
            }
        }
    }
}
