//! Comments.

use crate::source::Span;

/// A comment of a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// How it is written.
    pub kind: CommentKind,
    /// Where it is, with its delimiters and without the newline that ends a line comment.
    pub span: Span,
}

/// How a [`Comment`] is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentKind {
    /// `// ..`
    Line,
    /// `/* .. */`
    Block,
    /// `/** .. */`
    Doc,
}

impl CommentKind {
    /// The kind of a comment between `/*` and `*/`. `/**/` is no doc comment.
    pub(crate) fn of_block(text: &str) -> Self {
        if text.starts_with("/**") && text.len() > "/**/".len() {
            Self::Doc
        } else {
            Self::Block
        }
    }
}
