//! Blocks and statements.

use super::{Call, Expr, Ident, Ref};
use crate::source::Span;

/// `andThen ..`, a block of a declaration, or the body of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum AndThen {
    /// `andThen { .. }` or `andThen foreach v in list { .. }`
    Block {
        /// From `andThen` to the closing brace.
        span: Span,
        /// The list, if the block runs once per element.
        foreach: Option<Foreach>,
        /// The statements.
        block: Block,
    },
    /// `andThen script ..`; never the body of a step.
    Script {
        /// From `andThen` to the end of the script.
        span: Span,
        /// The script.
        script: Script,
    },
    /// `andThen when { .. }`
    When {
        /// From `andThen` to the closing brace.
        span: Span,
        /// The cases.
        when: When,
    },
}

impl AndThen {
    /// From `andThen` to its end.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Block { span, .. } | Self::Script { span, .. } | Self::When { span, .. } => *span,
        }
    }
}

/// `foreach variable in list`
#[derive(Clone, Debug, PartialEq)]
pub struct Foreach {
    /// From `foreach` to the end of the reference.
    pub span: Span,
    /// The name of the element.
    pub variable: Ident,
    /// The reference that gives the list.
    pub list: Ref,
}

/// `{ steps yields }`
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// With both braces.
    pub span: Span,
    /// The steps, in text order.
    pub steps: Vec<Step>,
    /// The yields, in text order; all follow the steps.
    pub yields: Vec<Yield>,
}

/// `name = Call(..) andThen .. catch ..`
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The whole statement.
    pub span: Span,
    /// The name of the step.
    pub name: Ident,
    /// What it calls.
    pub call: Call,
    /// Its body: never [`AndThen::Script`].
    pub body: Option<AndThen>,
    /// Its catch.
    pub catch: Option<Catch>,
}

/// `yield Call(..)`
#[derive(Clone, Debug, PartialEq)]
pub struct Yield {
    /// The whole statement.
    pub span: Span,
    /// The target and its values.
    pub call: Call,
}

/// `catch { .. }` or `catch when { .. }`
#[derive(Clone, Debug, PartialEq)]
pub enum Catch {
    /// `catch { .. }`
    Block {
        /// From `catch` to the closing brace.
        span: Span,
        /// The statements.
        block: Block,
    },
    /// `catch when { .. }`
    When {
        /// From `catch` to the closing brace.
        span: Span,
        /// The cases.
        when: When,
    },
}

impl Catch {
    /// From `catch` to its end.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Block { span, .. } | Self::When { span, .. } => *span,
        }
    }
}

/// `when { case .. }`
#[derive(Clone, Debug, PartialEq)]
pub struct When {
    /// From `when` to the closing brace.
    pub span: Span,
    /// The cases, in text order; at least one.
    pub cases: Vec<Case>,
}

/// `case condition => { .. }`
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// From `case` to the closing brace.
    pub span: Span,
    /// When the case applies.
    pub condition: Condition,
    /// Its statements.
    pub block: Block,
}

/// When a [`Case`] applies.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// The expression is true.
    If(Expr),
    /// `_`: no other case applies.
    Default(Span),
}

/// Python code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// From `script` to the closing brace or quote.
    pub span: Span,
    /// How the code is written.
    pub form: ScriptForm,
    /// The code without common indentation and without a blank first and last line.
    pub code: String,
    /// The line of the file that the first line of `code` comes from.
    pub first_line: u32,
    /// The number of characters of common indentation that `code` lacks.
    pub indent: u32,
}

/// How a [`Script`] is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptForm {
    /// `script { .. }`: raw code. A line of the code is a line of the file.
    Braces,
    /// `script ".."`: a string literal.
    String,
}
