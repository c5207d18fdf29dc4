//! What operators apply to: literals, references, arrays, maps, and expressions in parentheses.

use super::expr::{Precedence, Tall};
use super::parser::{Parse, Parser};
use crate::ast::{Entry, Expr, ExprKind, Key};
use crate::diag::{Code, Diagnostic};
use crate::lex::{Number, Token, TokenKind, read_number};

impl Parser<'_> {
    pub(super) fn atom(&mut self) -> Parse<Tall> {
        let token = self.peek();
        // The lexer has reported a `#` without its brace.
        let begins_map = token.kind == TokenKind::Invalid && self.text(token) == "#";
        match token.kind {
            _ if begins_map && self.peek_at(2).kind == TokenKind::Colon => self.deeper(Self::map),
            TokenKind::LBracket => self.deeper(Self::array),
            TokenKind::HashBrace => self.deeper(Self::map),
            TokenKind::LParen => {
                self.bump();
                self.enclosed(
                    token,
                    TokenKind::RParen,
                    "after the expression",
                    Self::inner,
                )
            }
            _ => {
                let kind = self.leaf(token)?;
                let span = self.span_from(token);
                Ok(Tall {
                    expr: Expr { span, kind },
                    height: 0,
                })
            }
        }
    }

    /// An expression in brackets.
    pub(super) fn inner(&mut self) -> Parse<Tall> {
        self.deeper(|parser| parser.binary(Precedence::Or))
    }

    fn leaf(&mut self, token: Token) -> Parse<ExprKind> {
        let kind = match token.kind {
            TokenKind::String => ExprKind::String(self.string_value(token)),
            TokenKind::Number => self.number(token),
            TokenKind::Ident if self.peek_at(1).kind != TokenKind::Dot => match self.text(token) {
                "true" => ExprKind::Boolean(true),
                "false" => ExprKind::Boolean(false),
                "null" => ExprKind::Null,
                _ => self.bare_identifier(token)?,
            },
            TokenKind::Ident | TokenKind::Dollar => return self.reference().map(ExprKind::Ref),
            TokenKind::Dot if self.peek_at(1).kind == TokenKind::Number => {
                self.error_with(|span| {
                    Diagnostic::new(Code::E006, span, "digits are missing before the point")
                        .help("write `0.5`, for example")
                });
                self.bump();
                ExprKind::Null
            }
            // The lexer has reported it; a name or number directly after it is part of it.
            TokenKind::Invalid => {
                let next = self.peek_at(1);
                let joined = matches!(next.kind, TokenKind::Ident | TokenKind::Number);
                if joined && next.start == token.end {
                    self.bump();
                }
                ExprKind::Null
            }
            TokenKind::LBrace => {
                return Err(self.error_with(|span| {
                    Diagnostic::new(Code::E001, span, "expected an expression, found `{`")
                        .help("a map is written as `#{ key: value }`")
                }));
            }
            _ => return Err(self.expected("an expression")),
        };
        self.bump();
        Ok(kind)
    }

    fn number(&mut self, token: Token) -> ExprKind {
        match read_number(self.text(token)) {
            Ok(Number::Int(value)) => ExprKind::Int(value),
            Ok(Number::Double(value)) => ExprKind::Double(value),
            Err((message, help)) => {
                let message = format!("{message}: number={}", self.text(token));
                self.report(Diagnostic::new(Code::E006, self.span(token), message).help(help));
                ExprKind::Null
            }
        }
    }

    /// Reports an identifier that is no literal and no reference.
    fn bare_identifier(&mut self, token: Token) -> Parse<ExprKind> {
        let name = self.text(token);
        if self.peek_at(1).kind == TokenKind::LParen {
            let message = format!("`{name}(..)` is a call, not an expression");
            return Err(self.error_with(|span| {
                Diagnostic::new(Code::E001, span, message)
                    .help("make it a step of its own, and refer to its values as `step.name`")
            }));
        }
        self.error_with(|span| {
            Diagnostic::new(
                Code::E001,
                span,
                format!("`{name}` alone is not an expression"),
            )
            .help(format!(
                "write `$.{name}` for a parameter, `step.{name}` for a value of a step, or quotes"
            ))
        });
        Ok(ExprKind::Null)
    }

    fn array(&mut self) -> Parse<Tall> {
        let open = self.bump();
        let mut height = 0;
        let elements = self.list(open, TokenKind::RBracket, "elements", |parser| {
            let element = parser.binary(Precedence::Or)?;
            height = height.max(element.height);
            Ok(element.expr)
        });
        let span = self.span_from(open);
        self.tall(span, ExprKind::Array(elements), height + 1)
    }

    fn map(&mut self) -> Parse<Tall> {
        let open = self.bump();
        let mut height = 0;
        let entries = self.list(open, TokenKind::RBrace, "entries", |parser| {
            let first = parser.peek();
            let key = parser.key()?;
            parser.expect(TokenKind::Colon, "after the key")?;
            let value = parser.binary(Precedence::Or)?;
            height = height.max(value.height);
            Ok(Entry {
                span: parser.span_from(first),
                key,
                value: value.expr,
            })
        });
        let span = self.span_from(open);
        self.tall(span, ExprKind::Map(entries), height + 1)
    }

    fn key(&mut self) -> Parse<Key> {
        let token = self.peek();
        if token.kind == TokenKind::String {
            self.bump();
            return Ok(Key {
                text: self.string_value(token),
                span: self.span(token),
            });
        }
        let name = self.ident("a key: an identifier or a string")?;
        Ok(Key {
            text: name.text,
            span: name.span,
        })
    }
}
