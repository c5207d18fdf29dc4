//! Finds what is to be pinned, step by step: the caller reads the catalog.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::definition::{Definition, Name, Revision};

/// The revisions that a run and all its descendants use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    /// Definitions by their ids.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub definitions: BTreeMap<Name, Revision>,
    /// Agents by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<Name, Revision>,
}

/// What a resolver needs from the catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wanted {
    /// The newest revision of an agent.
    Agent(Name),
    /// The newest revision of a definition, and the definition.
    Newest(Name),
    /// The definition of a revision.
    Exactly(Name, Revision),
}

/// Collects pins. The caller answers what is [wanted](Self::wanted) until nothing is.
#[derive(Debug, Clone)]
pub struct Resolver {
    pins: Pins,
    open: BTreeSet<Wanted>,
    /// Definitions whose names were read.
    read: BTreeSet<(Name, Revision)>,
}

impl Resolver {
    /// Begins with the definition that is started.
    #[must_use]
    pub fn start(definition: &Definition) -> Self {
        let mut resolver = Self {
            pins: Pins::default(),
            open: BTreeSet::new(),
            read: BTreeSet::new(),
        };
        let revision = definition.revision();
        resolver
            .pins
            .definitions
            .insert(definition.id.clone(), revision.clone());
        resolver.read(definition, revision);
        resolver
    }

    /// Returns what is to be answered next, in a fixed order; nothing once all is resolved. What the
    /// catalog does not have is an error of the start.
    #[must_use]
    pub fn wanted(&self) -> Option<&Wanted> {
        self.open.first()
    }

    /// Takes the newest revision of an agent.
    pub fn agent(&mut self, name: &Name, revision: Revision) {
        if self.open.remove(&Wanted::Agent(name.clone())) {
            self.pins.agents.insert(name.clone(), revision);
        }
    }

    /// Takes a definition: the newest of its id, or the one of a revision that is wanted. Returns
    /// whether it was wanted.
    pub fn definition(&mut self, definition: &Definition) -> bool {
        let revision = definition.revision();
        let exactly = self
            .open
            .remove(&Wanted::Exactly(definition.id.clone(), revision.clone()));
        let newest = !exactly && self.open.remove(&Wanted::Newest(definition.id.clone()));
        if newest {
            self.pins
                .definitions
                .insert(definition.id.clone(), revision.clone());
        }
        if newest || exactly {
            self.read(definition, revision);
        }
        newest || exactly
    }

    /// Returns the pins once nothing is wanted any more, or the resolver.
    ///
    /// # Errors
    /// The resolver, if something is still wanted.
    pub fn finish(self) -> Result<Pins, Self> {
        if self.open.is_empty() {
            Ok(self.pins)
        } else {
            Err(self)
        }
    }

    fn read(&mut self, definition: &Definition, revision: Revision) {
        if !self.read.insert((definition.id.clone(), revision)) {
            return;
        }
        for agent in definition.agents() {
            if !self.pins.agents.contains_key(agent) {
                self.open.insert(Wanted::Agent(agent.clone()));
            }
        }
        for (child, revision) in definition.children() {
            match revision {
                Some(revision) => {
                    if !self.read.contains(&(child.clone(), revision.clone())) {
                        self.open
                            .insert(Wanted::Exactly(child.clone(), revision.clone()));
                    }
                }
                None => {
                    if !self.pins.definitions.contains_key(child) {
                        self.open.insert(Wanted::Newest(child.clone()));
                    }
                }
            }
        }
    }
}
