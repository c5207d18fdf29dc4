//! The states of steps and blocks, and their order.

/// A state. The names are public: the command line and reports use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are those of the table")]
pub enum State {
    Created,
    InitializationBegin,
    InitializationEnd,
    ScriptsBegin,
    ScriptsEnd,
    MixinBlocksBegin,
    MixinBlocksContinue,
    MixinBlocksEnd,
    MixinCaptureBegin,
    MixinCaptureEnd,
    EventTransmit,
    BlocksBegin,
    BlocksContinue,
    BlocksEnd,
    ExecutionBegin,
    ExecutionContinue,
    ExecutionEnd,
    CatchBegin,
    CatchContinue,
    CatchEnd,
    CaptureBegin,
    CaptureEnd,
    End,
    Complete,
    Error,
}

impl State {
    /// The name of the state, without the prefix `state.`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "statement.Created",
            Self::InitializationBegin => "facet.initialization.Begin",
            Self::InitializationEnd => "facet.initialization.End",
            Self::ScriptsBegin => "facet.scripts.Begin",
            Self::ScriptsEnd => "facet.scripts.End",
            Self::MixinBlocksBegin => "mixin.blocks.Begin",
            Self::MixinBlocksContinue => "mixin.blocks.Continue",
            Self::MixinBlocksEnd => "mixin.blocks.End",
            Self::MixinCaptureBegin => "mixin.capture.Begin",
            Self::MixinCaptureEnd => "mixin.capture.End",
            Self::EventTransmit => "EventTransmit",
            Self::BlocksBegin => "statement.blocks.Begin",
            Self::BlocksContinue => "statement.blocks.Continue",
            Self::BlocksEnd => "statement.blocks.End",
            Self::ExecutionBegin => "block.execution.Begin",
            Self::ExecutionContinue => "block.execution.Continue",
            Self::ExecutionEnd => "block.execution.End",
            Self::CatchBegin => "statement.catch.Begin",
            Self::CatchContinue => "statement.catch.Continue",
            Self::CatchEnd => "statement.catch.End",
            Self::CaptureBegin => "statement.capture.Begin",
            Self::CaptureEnd => "statement.capture.End",
            Self::End => "statement.End",
            Self::Complete => "statement.Complete",
            Self::Error => "statement.Error",
        }
    }
}

impl serde::Serialize for State {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum ObjectType {
    /// A step that calls a facet.
    VariableAssignment,
    /// A yield.
    YieldAssignment,
    /// A step that calls a schema.
    SchemaInstantiation,
    /// The workflow.
    Workflow,
    /// A block, an element or a case.
    AndThen,
    /// `andThen when`
    AndWhen,
    /// A catch.
    AndCatch,
}

impl ObjectType {
    /// The states that it goes through, in order, if no error occurs. States of phases that it does
    /// not have are left out.
    #[must_use]
    pub fn table(self) -> &'static [State] {
        match self {
            Self::VariableAssignment | Self::Workflow => &STEP,
            Self::SchemaInstantiation => &SCHEMA,
            Self::YieldAssignment => &YIELD,
            Self::AndThen | Self::AndWhen | Self::AndCatch => &BLOCK,
        }
    }
}

const STEP: [State; 18] = [
    State::Created,
    State::InitializationBegin,
    State::InitializationEnd,
    State::ScriptsBegin,
    State::ScriptsEnd,
    State::MixinBlocksBegin,
    State::MixinBlocksContinue,
    State::MixinBlocksEnd,
    State::MixinCaptureBegin,
    State::MixinCaptureEnd,
    State::EventTransmit,
    State::BlocksBegin,
    State::BlocksContinue,
    State::BlocksEnd,
    State::CaptureBegin,
    State::CaptureEnd,
    State::End,
    State::Complete,
];

/// With the phases of a body, if the call has one.
const SCHEMA: [State; 10] = [
    State::Created,
    State::InitializationBegin,
    State::InitializationEnd,
    State::BlocksBegin,
    State::BlocksContinue,
    State::BlocksEnd,
    State::CaptureBegin,
    State::CaptureEnd,
    State::End,
    State::Complete,
];

const YIELD: [State; 7] = [
    State::Created,
    State::InitializationBegin,
    State::InitializationEnd,
    State::ScriptsBegin,
    State::ScriptsEnd,
    State::End,
    State::Complete,
];

const BLOCK: [State; 6] = [
    State::Created,
    State::ExecutionBegin,
    State::ExecutionContinue,
    State::ExecutionEnd,
    State::End,
    State::Complete,
];
