//! The application: the workflows of a build, by name and version.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::domain::Workflow as Name;
use crate::replay::States;
use crate::sdk::{
    Context, ErasedWorkflow, Failed, Workflow, declared, erase, erase_fn, with_states,
};

/// Workflows by name and version. Several versions can coexist: an execution keeps the one that
/// it started with; a start without a version uses the one registered last.
#[derive(Default)]
pub struct App {
    known: BTreeMap<Name, Vec<Registered>>,
    trouble: Option<RegistryError>,
    states: States,
    pub(crate) on_fault: OnFault,
}

/// What becomes of an execution whose workflow code panics, or asks for a recorded value (a
/// message, a result) by a type that the value is not of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnFault {
    /// It is blocked with the reason until `resume`: fixed code continues where it stopped, and no
    /// compensation is skipped.
    #[default]
    Block,
    /// It fails with kind `panic` or `value`, and no further code of it runs.
    Fail,
}

/// One registered workflow.
#[derive(Clone)]
pub struct Registered {
    /// Its name.
    pub name: Name,
    /// Its version.
    pub version: String,
    /// Its code.
    pub workflow: Arc<dyn ErasedWorkflow>,
}

/// Why a workflow cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// The name is invalid.
    #[error(transparent)]
    Name(#[from] crate::domain::InvalidName),
    /// The version is invalid.
    #[error("invalid version: `[A-Za-z0-9._-]{{1,64}}`: workflow={workflow}, got={version:?}")]
    Version {
        /// The workflow.
        workflow: Name,
        /// The version as given.
        version: String,
    },
    /// This name and version are already registered.
    #[error("registered twice: workflow={workflow}, version={version}")]
    Twice {
        /// The workflow.
        workflow: Name,
        /// The version.
        version: String,
    },
    /// Two values of the application have this type.
    #[error("two states of one type: wrap one of them in a type of its own: type={name}")]
    State {
        /// The type.
        name: &'static str,
    },
}

impl App {
    /// Creates an application without workflows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a workflow type, as `#[millpond::workflow]` generates it.
    #[must_use]
    pub fn register<W: Workflow>(self) -> Self {
        self.add(W::NAME, W::VERSION, erase::<W>())
    }

    /// Adds a plain async function as a workflow.
    #[must_use]
    pub fn workflow<I, O, F, Fut>(self, name: &str, version: &str, function: F) -> Self
    where
        I: Serialize + DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(Context, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, Failed>> + Send + 'static,
    {
        self.add(name, version, erase_fn(function))
    }

    /// Sets what becomes of executions whose workflow code has a fault; by default they are
    /// blocked.
    #[must_use]
    pub fn on_fault(mut self, on_fault: OnFault) -> Self {
        self.on_fault = on_fault;
        self
    }

    /// Declares a workflow whose code another program has: this one can start it. Its input is not
    /// checked here, and no worker can be created for the application.
    #[must_use]
    pub fn declare(self, name: &str, version: &str) -> Self {
        self.add(name, version, declared())
    }

    /// Sets a value that steps take as [`State<T>`](crate::State): a connection, a client, a
    /// configuration. It is not stored, and each process has its own.
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        if !self.states.set(value) {
            let name = std::any::type_name::<T>();
            self.trouble.get_or_insert(RegistryError::State { name });
        }
        self
    }

    /// Returns the values of the application.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn states(&self) -> &States {
        &self.states
    }

    fn add(mut self, name: &str, version: &str, workflow: Arc<dyn ErasedWorkflow>) -> Self {
        if let Err(error) = self.try_add(name, version, workflow) {
            self.trouble.get_or_insert(error);
        }
        self
    }

    fn try_add(
        &mut self,
        name: &str,
        version: &str,
        workflow: Arc<dyn ErasedWorkflow>,
    ) -> Result<(), RegistryError> {
        let name = Name::parse(name)?;
        let good = (1..=64).contains(&version.len()) && Name::parse(version).is_ok();
        let version = version.to_owned();
        if !good {
            return Err(RegistryError::Version {
                workflow: name,
                version,
            });
        }
        let versions = self.known.entry(name.clone()).or_default();
        if versions.iter().any(|known| known.version == version) {
            return Err(RegistryError::Twice {
                workflow: name,
                version,
            });
        }
        versions.push(Registered {
            name,
            version,
            workflow: with_states(workflow, &self.states),
        });
        Ok(())
    }

    /// Returns the first registration error, if any.
    ///
    /// # Errors
    /// [`RegistryError`] names the workflow and the reason.
    pub fn check(&self) -> Result<(), RegistryError> {
        self.trouble.clone().map_or(Ok(()), Err)
    }

    /// Returns the workflow of this name and version.
    #[must_use]
    pub fn find(&self, name: &Name, version: &str) -> Option<&Registered> {
        self.known
            .get(name)?
            .iter()
            .find(|known| known.version == version)
    }

    /// Returns the version of this name that was registered last.
    #[must_use]
    pub fn newest(&self, name: &Name) -> Option<&Registered> {
        self.known.get(name)?.last()
    }

    /// Returns all registered workflows, by name, then in order of registration.
    pub fn all(&self) -> impl Iterator<Item = &Registered> {
        self.known.values().flatten()
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all()).finish()
    }
}

impl fmt::Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}
