//! Who did it, where, with which code.

use serde::{Deserialize, Serialize};

use super::{InvalidName, MAX_TEXT};

/// What kind of somebody acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// A worker that runs an execution.
    Worker,
    /// A person, through a tool.
    Human,
    /// A program.
    System,
    /// A schedule.
    Schedule,
}

/// Somebody who writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// What kind.
    pub kind: ActorKind,
    /// Which one.
    pub id: String,
    /// For whom, when not for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_behalf_of: Option<String>,
}

impl Actor {
    /// An actor of this kind and id.
    pub fn new(kind: ActorKind, id: impl Into<String>) -> Self {
        Self {
            kind,
            id: id.into(),
            on_behalf_of: None,
        }
    }

    /// Refuses what is too long to stand on every commit.
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

    /// A person.
    pub fn human(id: impl Into<String>) -> Self {
        Self::new(ActorKind::Human, id)
    }

    /// A program.
    pub fn system(id: impl Into<String>) -> Self {
        Self::new(ActorKind::System, id)
    }
}

/// Stands on every commit and message: who, in which lease, with which code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Who.
    pub actor: Actor,
    /// Where: host and process, as the worker names itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// The execution's lease epoch at that moment.
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
