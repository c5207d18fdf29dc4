//! The probes by name.

use std::fmt;

use crate::finding::{Finding, Violation};
use crate::probes::{basics, listing, names, races};
use crate::subject::Subject;

/// One guarantee of the port, with its check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Probe {
    /// A create lands once, if the key is absent, and is visible to reads and lists at once.
    Create,
    /// A replace lands only on the version that it names, and never on an absent key.
    Replace,
    /// A delete removes the object, also when repeated, and reads and lists no longer return it.
    Delete,
    /// Bodies are returned unchanged: empty, all byte values, large.
    Bytes,
    /// Different keys are different objects, even on file systems with reserved or folded names.
    Names,
    /// Components and keys at the limits of length: those longer than the engine uses (255 bytes a
    /// component, 768 a key) may be refused, by name.
    Lengths,
    /// Lists are in the order of bytes, under the prefix, after the key. The probe does not check
    /// whether `a/1` or `a-b` comes first: some stores order by folder, and the engine does not
    /// depend on it.
    Order,
    /// Lists of many pages return each key once.
    Pages,
    /// Of many creators of one key, exactly one lands.
    CreateRace,
    /// Of many updates of one object, none is lost.
    ReplaceRace,
    /// A replace that races with a delete does not restore the object.
    DeleteRace,
    /// Lists return the remaining objects while neighbours are created and deleted.
    Churn,
}

impl Probe {
    /// Every probe, each after those whose guarantees it depends on.
    pub const ALL: [Self; 12] = [
        Self::Create,
        Self::Replace,
        Self::Delete,
        Self::Order,
        Self::Pages,
        Self::Bytes,
        Self::Names,
        Self::Lengths,
        Self::CreateRace,
        Self::ReplaceRace,
        Self::DeleteRace,
        Self::Churn,
    ];

    /// The name, as a command prints it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Delete => "delete",
            Self::Bytes => "bytes",
            Self::Names => "names",
            Self::Lengths => "lengths",
            Self::Order => "order",
            Self::Pages => "pages",
            Self::CreateRace => "create-race",
            Self::ReplaceRace => "replace-race",
            Self::DeleteRace => "delete-race",
            Self::Churn => "churn",
        }
    }

    /// Runs the probe. Its keys begin with the probe's name, and remain in the bucket: see
    /// [`Subject::clear`].
    ///
    /// # Errors
    /// The bucket violates the guarantee, or did not respond.
    pub async fn run(self, subject: &Subject) -> Result<(), Violation> {
        let outcome = self.ask(subject).await;
        outcome.map_err(|finding| Violation {
            probe: self,
            finding,
        })
    }

    async fn ask(self, subject: &Subject) -> Result<(), Finding> {
        match self {
            Self::Create => basics::create(subject).await,
            Self::Replace => basics::replace(subject).await,
            Self::Delete => basics::delete(subject).await,
            Self::Bytes => basics::bytes(subject).await,
            Self::Names => names::names(subject).await,
            Self::Lengths => names::lengths(subject).await,
            Self::Order => listing::order(subject).await,
            Self::Pages => listing::pages(subject).await,
            Self::CreateRace => races::create(subject).await,
            Self::ReplaceRace => races::replace(subject).await,
            Self::DeleteRace => races::delete(subject).await,
            Self::Churn => races::churn(subject).await,
        }
    }
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
