//! The actors of changes, with their site and their code version.

use serde::{Deserialize, Serialize};

use super::{InvalidName, MAX_TEXT};

/// The kind of an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// A worker that runs an execution.
    Worker,
    /// A person who uses a tool.
    Human,
    /// A program.
    System,
    /// A schedule.
    Schedule,
}

/// The author of a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// The kind of actor.
    pub kind: ActorKind,
    /// The id of the actor.
    pub id: String,
    /// The principal for which the actor acts, if it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_behalf_of: Option<String>,
}

impl Actor {
    /// Creates an actor of this kind and id.
    pub fn new(kind: ActorKind, id: impl Into<String>) -> Self {
        Self {
            kind,
            id: id.into(),
            on_behalf_of: None,
        }
    }

    /// Rejects an id that is too long to be stored in every commit.
    ///
    /// # Errors
    /// [`InvalidName`]: an id of more than 1 KiB.
    pub fn check(&self) -> Result<(), InvalidName> {
        let ids = [Some(&self.id), self.on_behalf_of.as_ref()];
        match ids.into_iter().flatten().find(|id| id.len() > MAX_TEXT) {
            Some(id) => Err(InvalidName::new("actor", "at most 1 KiB of text", id)),
            None => Ok(()),
        }
    }

    /// Creates an actor of kind [`ActorKind::Human`].
    pub fn human(id: impl Into<String>) -> Self {
        Self::new(ActorKind::Human, id)
    }

    /// Creates an actor of kind [`ActorKind::System`].
    pub fn system(id: impl Into<String>) -> Self {
        Self::new(ActorKind::System, id)
    }
}

/// The origin of a commit or a message: the actor, its lease and its code version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The actor.
    pub actor: Actor,
    /// The host and process, as named by the worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// The execution's lease epoch at the time of the write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
    /// The build that wrote it. Begins with the build's instant, so it sorts by age.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_ref: Option<String>,
}

impl From<Actor> for Provenance {
    fn from(actor: Actor) -> Self {
        Self {
            actor,
            site: None,
            epoch: None,
            code_ref: None,
        }
    }
}
