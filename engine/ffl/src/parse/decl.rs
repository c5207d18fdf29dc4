//! Files, namespaces and declarations.

use super::body::Tail;
use super::braces::Brace;
use super::parser::{Parse, Parser};
use crate::ast::{
    Decl, Doc, FacetDecl, FacetKind, Field, File, ImplicitDecl, Item, Member, Namespace, QName,
    SchemaDecl, Use,
};
use crate::diag::{Code, Diagnostic};
use crate::lex::{CommentKind, Token, TokenKind, read_doc};

impl Parser<'_> {
    pub(super) fn file(&mut self) -> File {
        let mut items = Vec::new();
        while !self.at(TokenKind::End) {
            let start = self.at;
            if self.is_word(0, "namespace") {
                items.push(Item::Namespace(self.namespace()));
            } else if self.at_use() {
                let message = "`use` is only allowed in a namespace";
                self.report(Diagnostic::new(Code::E001, self.span(self.peek()), message));
                if self.use_().is_err() {
                    self.skip_to_decl(start);
                }
            } else if let Some(decl) = self.decl() {
                match decl {
                    Ok(decl) => items.push(Item::Decl(decl)),
                    Err(_) => self.skip_to_decl(start),
                }
            } else if self.at(TokenKind::RBrace) {
                self.error("there is no block that this `}` could close");
                self.bump();
            } else {
                self.expected("a declaration or a namespace");
                self.skip_to_decl(start);
            }
            self.end_of_statement();
        }
        File {
            source: self.source(),
            items,
        }
    }

    /// Any number of semicolons.
    pub(super) fn end_of_statement(&mut self) {
        while self.eat(TokenKind::Semicolon) {}
    }

    fn at_use(&self) -> bool {
        self.is_word(0, "use") || self.is_word(0, "uses")
    }

    fn namespace(&mut self) -> Namespace {
        let doc = self.doc();
        let first = self.bump();
        let missing = self.span(self.peek());
        let name = self
            .qname("the name of the namespace")
            .unwrap_or_else(|_| QName {
                text: String::new(),
                span: missing,
            });
        let begins = self.balance.missing_open > 0 && self.is_decl(0);
        let members = match self.open_brace("after the name of the namespace", begins) {
            Ok(open) => self.members(first, open),
            // Without its braces, the declarations of the namespace are read as those of the file.
            Err(_) => Vec::new(),
        };
        Namespace {
            span: self.span_from(first),
            doc,
            name,
            members,
        }
    }

    fn members(&mut self, namespace: Token, open: Brace) -> Vec<Member> {
        let mut members = Vec::new();
        loop {
            let start = self.at;
            if matches!(self.peek().kind, TokenKind::RBrace | TokenKind::End) {
                break;
            }
            if self.is_word(0, "namespace") {
                // A namespace to the right is meant to be an inner one; otherwise a brace is missing.
                if self.column(self.peek()) <= self.column(namespace) {
                    break;
                }
                self.error("a namespace cannot contain a namespace");
                self.namespace();
            } else if self.at_use() {
                match self.use_() {
                    Ok(used) => members.push(Member::Use(used)),
                    Err(_) => self.skip_to_decl(start),
                }
            } else if let Some(decl) = self.decl() {
                match decl {
                    Ok(decl) => members.push(Member::Decl(decl)),
                    Err(_) => self.skip_to_decl(start),
                }
            } else {
                self.expected("a declaration or `use`");
                self.skip_to_decl(start);
            }
            self.end_of_statement();
        }
        self.close_brace(open, "at the end of the namespace");
        members
    }

    fn use_(&mut self) -> Parse<Use> {
        let first = self.bump();
        let name = self.qname("a namespace after `use`")?;
        Ok(Use {
            span: self.span_from(first),
            name,
        })
    }

    /// A declaration; `None` if none begins here.
    fn decl(&mut self) -> Option<Parse<Decl>> {
        let first = self.peek();
        let kind = if self.is_word(0, "facet") {
            FacetKind::Facet
        } else if self.is_word(0, "event") {
            FacetKind::Event
        } else if self.is_word(0, "workflow") {
            FacetKind::Workflow
        } else if self.is_word(0, "schema") {
            return Some(Ok(Decl::Schema(self.schema())));
        } else if self.is_word(0, "implicit") {
            return Some(self.implicit().map(Decl::Implicit));
        } else {
            return None;
        };
        let doc = self.doc();
        self.bump();
        if kind == FacetKind::Event && !self.eat_keyword("facet") {
            self.expected("`facet` after `event`");
        }
        let signature = self.signature(kind.keyword());
        let Tail {
            pre_script,
            body,
            catch,
        } = self.tail();
        let span = self.span_from(first);
        Some(Ok(Decl::Facet(Box::new(FacetDecl {
            span,
            doc,
            kind,
            signature,
            pre_script,
            body,
            catch,
        }))))
    }

    fn schema(&mut self) -> SchemaDecl {
        let doc = self.doc();
        let first = self.bump();
        let name = self.declared_name("schema");
        let begins = self.is_named(0, TokenKind::Colon);
        let fields = match self.open_brace("before the fields", begins) {
            Ok(open) => self.list(open.token, TokenKind::RBrace, "fields", Self::field),
            Err(_) => Vec::new(),
        };
        SchemaDecl {
            span: self.span_from(first),
            doc,
            name,
            fields,
        }
    }

    fn field(&mut self) -> Parse<Field> {
        let first = self.peek();
        let name = self.ident("a field")?;
        self.expect(TokenKind::Colon, "after the name of the field")?;
        let ty = self.type_()?;
        Ok(Field {
            span: self.span_from(first),
            name,
            ty,
        })
    }

    fn implicit(&mut self) -> Parse<ImplicitDecl> {
        let first = self.bump();
        let name = self.declared_name("implicit");
        self.expect(TokenKind::Assign, "after the name of the implicit")?;
        let call = self.call("the facet of the implicit")?;
        Ok(ImplicitDecl {
            span: self.span_from(first),
            name,
            call,
        })
    }

    /// The last doc comment directly before the next token.
    fn doc(&self) -> Option<Doc> {
        let comments = self.comments_before().iter().rev();
        let comment = comments
            .copied()
            .find(|comment| comment.kind == CommentKind::Doc)?;
        Some(read_doc(self.slice(comment.span), comment.span))
    }
}
