//! What the run does for a transition: the machine's commands become frames.

use std::sync::Arc;
use std::time::Duration;

use millpond::{Context, Failed};

use super::action::{NewAttempt, attempt};
use super::children::{Family, children, pipeline, place};
use super::end::failed;
use super::envelope::Parent;
use super::handlers::Place;
use super::interpret::Run;
use super::wait;
use crate::Category;
use crate::definition::Kind;
use crate::frontier::Activation;
use crate::machine::{Command, Control, Open, Step};
use crate::program::Begin;

impl Run {
    /// Carries out the commands of a transition at `now`.
    ///
    /// # Errors
    /// A failure `execution` for a command that no node of this run can cause.
    pub(super) fn perform(&mut self, step: Step, now: u64) -> Result<(), Failed> {
        for command in step.commands {
            match command {
                Command::Begin { control, .. } => self.begin(control, now)?,
                Command::Ask {
                    control,
                    generation,
                } => {
                    let (activation, _) = self.machine.control(control).ok_or_else(no_control)?;
                    let scope = scope(&self.shield, activation).scope("ask");
                    let work = wait::decision(&scope, control, generation);
                    self.works.begin(control, work);
                }
                Command::CancelChildren { control } => self.works.stop_children(control),
                Command::Close { control } => self.works.close(control),
                // The sender of a refused decision reads the reply.
                Command::Refuse { .. } => {}
                Command::Pass { .. } | Command::Abort { .. } => return Err(no_agent()),
            }
        }
        Ok(())
    }

    fn begin(&mut self, control: u64, now: u64) -> Result<(), Failed> {
        let (activation, open) = self.machine.control(control).ok_or_else(no_control)?;
        let scope = scope(&self.shield, activation);
        let given = Arc::clone(&open.given);
        match &*given {
            Begin::Action(input) => {
                let new = self.new_attempt(control, activation, open, input, now)?;
                let work = attempt(&scope, new);
                self.works.begin(control, work);
            }
            Begin::SleepFor(span) => {
                let until = now.saturating_add(span.as_millis());
                self.works
                    .begin(control, wait::sleep(&scope, control, until));
            }
            Begin::SleepUntil(until) => {
                let until = super::timer::millis(*until);
                self.works
                    .begin(control, wait::sleep(&scope, control, until));
            }
            Begin::Children { tasks, limit } => {
                let family = self.family(scope, control, activation);
                let (gate, work) = children(family, tasks.clone(), *limit);
                self.works.begin_children(control, gate, work);
            }
            Begin::Pipeline(tasks) => {
                let family = self.family(scope, control, activation);
                let (gate, work) = pipeline(family, tasks.clone());
                self.works.begin_children(control, gate, work);
            }
            Begin::Agent(_) => return Err(no_agent()),
            Begin::Decided(_) | Begin::Input(_) => {
                let why = "what is decided or asked for does not begin";
                return Err(failed(Category::Execution, why));
            }
        }
        Ok(())
    }

    fn family(&self, scope: Context, control: u64, activation: &Activation) -> Family {
        let above = self.parent.map_or(0, |parent| parent.depth);
        Family {
            graphs: Arc::clone(&self.graphs),
            program: Arc::clone(&self.graph.program),
            pins: self.pins.clone(),
            parent: Parent {
                run: self.shield.eid(),
                depth: above + 1,
            },
            control,
            node: activation.node.clone(),
            scope,
            place: place(activation),
        }
    }

    fn new_attempt(
        &self,
        control: u64,
        activation: &Activation,
        open: &Control,
        input: &serde_json::Map<String, serde_json::Value>,
        now: u64,
    ) -> Result<NewAttempt, Failed> {
        let definition = self.graph.program.definition();
        let (Kind::Action(action), Open::Attempt(attempt)) =
            (&definition.nodes[&activation.node].kind, &open.open)
        else {
            let why = "only an action has an attempt";
            return Err(failed(Category::Execution, why));
        };
        let handler = self.graphs.handlers.get(&action.action);
        let handler = handler.ok_or_else(|| {
            let name = &action.action;
            failed(Category::Execution, format!("no handler: handler={name}"))
        })?;
        Ok(NewAttempt {
            control,
            role: attempt.role,
            place: Place {
                definition: definition.id.clone(),
                revision: self.graph.revision.clone(),
                run: self.shield.eid(),
                parent: self.parent.map(|parent| parent.run),
                base: self.machine.checkpoint().base,
                ordinal: self.machine.ordinal(control).unwrap_or_default(),
                node: activation.node.clone(),
                attempt: attempt.number,
            },
            input: input.clone(),
            handler: Arc::clone(handler),
            left: Duration::from_millis(open.deadline.saturating_sub(now).max(1)),
            program: Arc::clone(&self.graph.program),
        })
    }
}

/// The scope of an activation.
pub(super) fn scope(shield: &Context, activation: &Activation) -> Context {
    let (node, id) = (&activation.node, activation.id);
    let superstep = shield.scope(&format!("s{}", id.superstep));
    superstep.scope(&format!("{node}-{}", id.rank))
}

fn no_control() -> Failed {
    failed(Category::Execution, "a command names no open control")
}

fn no_agent() -> Failed {
    failed(Category::Execution, "no node of this run is an agent")
}
