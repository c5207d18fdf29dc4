//! The interpreter: one run of a program.

use super::instance::Instance;
use super::{Event, Fault, Host, Place};
use crate::form::{Facet, Program};
use crate::program::{Declared, FormIndex};
use crate::states::State;
use crate::value::Value;

/// A program, and where it runs.
pub(super) struct Interpreter<'r> {
    pub(super) index: FormIndex<'r>,
    pub(super) host: &'r dyn Host,
}

impl<'r> Interpreter<'r> {
    /// The program must live as long as the run; so must its index, which borrows from it.
    pub(super) fn new(program: &'r Program, host: &'r dyn Host) -> Self {
        Self {
            index: FormIndex::of_program(program),
            host,
        }
    }

    /// Runs a workflow. The result is the object of its returns.
    pub(super) async fn run(
        &'r self,
        workflow: Declared<'r, &'r Facet>,
        input: super::cell::Object,
    ) -> Result<Value, Fault> {
        let instance = Instance::of_workflow(workflow, input);
        let cell = instance.cell();
        self.instance(instance).await?;
        Ok(Value::from(cell.values().returns.clone()))
    }

    pub(super) fn enter(&self, place: &Place, states: &[State]) {
        for state in states {
            self.host.observe(place, Event::Entered(*state));
        }
    }

    pub(super) fn failed(&self, place: &Place, fault: &Fault) {
        self.host.observe(place, Event::Failed(fault));
        self.enter(place, &[State::Error]);
    }
}
