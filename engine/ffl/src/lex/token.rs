//! Tokens.

/// One token. Its text is the range of the source; values are read by the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// The offset of the first byte.
    pub(crate) start: u32,
    /// The offset after the last byte.
    pub(crate) end: u32,
    /// True if the token is the first one of its line.
    pub(crate) first_in_line: bool,
    /// The number of comments in the text before this token.
    pub(crate) comments: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Ident,
    /// A string literal with its quotes.
    String,
    /// Anything that begins with a digit: [`read_number`](super::read_number) decides.
    Number,
    /// Raw code with its braces.
    Script,
    LBrace,
    RBrace,
    LParen,
    RParen,
    LBracket,
    RBracket,
    /// `#{`
    HashBrace,
    Comma,
    Colon,
    Semicolon,
    Dot,
    Dollar,
    Assign,
    /// `=>`
    Arrow,
    EqEq,
    NotEq,
    GreaterEq,
    LessEq,
    Greater,
    Less,
    AndAnd,
    OrOr,
    PlusPlus,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Bang,
    /// Characters that are no token; a diagnostic reports them.
    Invalid,
    /// The end of the text.
    End,
}

impl TokenKind {
    /// The token as written, or what it is; for messages.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Ident => "an identifier",
            Self::String => "a string",
            Self::Number => "a number",
            Self::Script => "code in braces",
            Self::LBrace => "`{`",
            Self::RBrace => "`}`",
            Self::LParen => "`(`",
            Self::RParen => "`)`",
            Self::LBracket => "`[`",
            Self::RBracket => "`]`",
            Self::HashBrace => "`#{`",
            Self::Comma => "`,`",
            Self::Colon => "`:`",
            Self::Semicolon => "`;`",
            Self::Dot => "`.`",
            Self::Dollar => "`$`",
            Self::Assign => "`=`",
            Self::Arrow => "`=>`",
            Self::EqEq => "`==`",
            Self::NotEq => "`!=`",
            Self::GreaterEq => "`>=`",
            Self::LessEq => "`<=`",
            Self::Greater => "`>`",
            Self::Less => "`<`",
            Self::AndAnd => "`&&`",
            Self::OrOr => "`||`",
            Self::PlusPlus => "`++`",
            Self::Plus => "`+`",
            Self::Minus => "`-`",
            Self::Star => "`*`",
            Self::Slash => "`/`",
            Self::Percent => "`%`",
            Self::Bang => "`!`",
            Self::Invalid => "invalid characters",
            Self::End => "the end of the file",
        }
    }
}
