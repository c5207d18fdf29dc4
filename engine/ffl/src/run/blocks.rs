//! The blocks of a body. All run at the same time.

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};

use super::env::{Env, Steps};
use super::fault::BlockFailure;
use super::interpreter::Interpreter;
use super::schedule::gather;
use super::statements::{BlockEnd, BranchEnd};
use super::{Event, Fault, Place, SCRIPT_UNAVAILABLE};
use crate::form::{Block, BlockKind};
use crate::states::{ObjectType, State};

impl<'r> Interpreter<'r> {
    /// Runs blocks. `when` blocks and foreach lists can refer to the steps of the regular blocks
    /// before them. The results are in text order.
    pub(super) async fn blocks(
        &'r self,
        blocks: &'r [Block],
        env: Env<'r>,
        place: &Place,
    ) -> Vec<BranchEnd<'r>> {
        let mut open = env.clone();
        let mut branches = Vec::with_capacity(blocks.len());
        for (number, block) in blocks.iter().enumerate() {
            let place = place.scope(format_args!("b{number}"));
            let end: BoxFuture<'r, BlockEnd<'r>> = match &block.kind {
                BlockKind::Statements {
                    foreach: None,
                    statements,
                } => {
                    let steps = Steps::of(statements);
                    open = open.steps(steps.clone());
                    self.statements(statements, steps, env.clone(), place.clone())
                }
                BlockKind::Statements {
                    foreach: Some(foreach),
                    statements,
                } => self.foreach(foreach, statements, open.clone(), place.clone()),
                BlockKind::When(when) => {
                    let of = place.clone();
                    let scope = move |case| of.scope(format_args!("c{case}"));
                    self.when(when, open.clone(), place.clone(), scope)
                }
                BlockKind::Script(_) => {
                    let fault = Fault::at(&place, "ScriptUnavailable", SCRIPT_UNAVAILABLE);
                    ready(Err(fault.into())).boxed()
                }
            };
            let object = match &block.kind {
                BlockKind::When(_) => ObjectType::AndWhen,
                _ => ObjectType::AndThen,
            };
            branches.push(self.block(object, place, end));
        }
        gather(branches).await
    }

    /// One block, through its states.
    pub(super) fn block(
        &'r self,
        object: ObjectType,
        place: Place,
        end: BoxFuture<'r, BlockEnd<'r>>,
    ) -> BoxFuture<'r, BranchEnd<'r>> {
        async move {
            self.begin_block(object, &place);
            let end = end.await.map_err(BlockFailure::into_fault);
            self.end_block(end, &place)
        }
        .boxed()
    }

    /// An element or a case. Its error is that of its first statement that failed; the block around
    /// it counts the errors.
    pub(super) fn sub_block(
        &'r self,
        place: Place,
        end: BoxFuture<'r, BlockEnd<'r>>,
    ) -> BoxFuture<'r, BranchEnd<'r>> {
        async move {
            self.begin_block(ObjectType::AndThen, &place);
            let end = end.await.map_err(BlockFailure::into_first);
            self.end_block(end, &place)
        }
        .boxed()
    }

    fn begin_block(&self, object: ObjectType, place: &Place) {
        let created = Event::Created {
            object,
            name: "",
            facet: None,
        };
        self.host.observe(place, created);
        let begin = [
            State::Created,
            State::ExecutionBegin,
            State::ExecutionContinue,
        ];
        self.enter(place, &begin);
    }

    fn end_block<T>(&self, end: Result<T, Fault>, place: &Place) -> Result<T, Fault> {
        match &end {
            Ok(_) => self.enter(place, &[State::ExecutionEnd, State::End, State::Complete]),
            Err(fault) => self.failed(place, fault),
        }
        end
    }
}
