//! The tasks of nodes that run children.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::compile::Program;
use super::error::NodeError;
use super::node::{ChildPart, InitPart, WhichPart};
use crate::definition::{Name, Task, TaskInit, TaskKey};
use crate::express::Scope;
use crate::limits::within;
use crate::state::{refuse_large, size};

impl Program {
    /// Computes one task, whose key is its place.
    pub(super) fn task(
        &self,
        child: &ChildPart,
        index: usize,
        scope: &Scope<'_>,
    ) -> Result<Task, NodeError> {
        let workflow = match &child.definition {
            WhichPart::Literal(name) => name.clone(),
            WhichPart::Computed(source) => {
                let text = source.text(scope)?;
                Name::parse(&text).map_err(|error| NodeError::Id {
                    message: error.to_string(),
                })?
            }
        };
        let init = child
            .init
            .as_ref()
            .map(|init| self.init(init, scope))
            .transpose()?;
        Ok(Task {
            workflow,
            revision: child.revision.clone(),
            key: TaskKey::parse(&index.to_string()).expect("a place is a task key"),
            input: self.object(&child.input, scope)?,
            inputs: child.inputs.clone(),
            init,
            history: child.history,
        })
    }

    fn init(&self, init: &InitPart, scope: &Scope<'_>) -> Result<TaskInit, NodeError> {
        Ok(TaskInit {
            from: init.from.text(scope)?,
            checkpoint: init.checkpoint,
            position: init.position,
            overrides: self.object(&init.overrides, scope)?,
            fallback: init
                .fallback
                .as_ref()
                .map(|fallback| self.object(fallback, scope))
                .transpose()?,
        })
    }

    /// Computes one task for each element of a list.
    pub(super) fn tasks_over(
        &self,
        list: &[Value],
        child: &ChildPart,
        scope: &Scope<'_>,
    ) -> Result<Vec<Task>, NodeError> {
        within("tasks", list.len(), self.limits.tasks)?;
        let mut total = 0;
        let mut tasks = Vec::with_capacity(list.len());
        for (index, item) in list.iter().enumerate() {
            let task = self.task(child, index, &scope.with_item(item, index))?;
            // Before the next one is computed: a large value for each of many elements fills the memory.
            total += size_of_inputs(&task);
            within("inputs", total, self.limits.inputs)?;
            tasks.push(task);
        }
        Ok(tasks)
    }

    /// Reads the tasks of a computed list.
    pub(super) fn tasks_of(&self, list: Vec<Value>) -> Result<Vec<Task>, NodeError> {
        within("tasks", list.len(), self.limits.tasks)?;
        let mut keys = BTreeSet::new();
        let mut tasks = Vec::with_capacity(list.len());
        for (index, value) in list.into_iter().enumerate() {
            let invalid = |message: String| NodeError::Task { index, message };
            if !value.is_object() {
                return Err(invalid("it is not an object".to_owned()));
            }
            let task = Task::deserialize(value).map_err(|error| invalid(error.to_string()))?;
            if !keys.insert(task.key.clone()) {
                return Err(NodeError::RepeatedKey {
                    key: task.key.to_string(),
                });
            }
            for value in task.input.values() {
                refuse_large("value", value, self.limits.value, &self.limits)?;
            }
            tasks.push(task);
        }
        Ok(tasks)
    }
}

/// The bytes of what a task carries.
fn size_of_inputs(task: &Task) -> usize {
    let init = task.init.iter().flat_map(|init| {
        init.overrides
            .values()
            .chain(init.fallback.iter().flat_map(|all| all.values()))
    });
    task.input.values().chain(init).map(size).sum()
}
