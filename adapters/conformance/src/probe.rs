//! The probes by name.

use std::fmt;

use crate::finding::{Finding, Violation};
use crate::probes::{basics, listing, names, races};
use crate::subject::Subject;

/// One promise of the port, and how to ask for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Probe {
    /// A create lands where nothing is, once, and is read and listed at once.
    Create,
    /// A replace lands on the version it names, and on nothing else: not on an absent key.
    Replace,
    /// A delete deletes, twice too, and what is deleted is neither read nor listed.
    Delete,
    /// Bodies come back as they were: empty, all byte values, large.
    Bytes,
    /// Keys that differ are different objects, on file systems with opinions too.
    Names,
    /// Components and keys at the limits of length: beyond what the engine uses (255 bytes a
    /// component, 768 a key) they may be refused, by name.
    Lengths,
    /// Lists are in the order of bytes, under the prefix, after the key. Whether `a/1` or `a-b` comes
    /// first is not asked: some stores order by folder, and the engine does not rest on it.
    Order,
    /// Lists of many pages show each key once.
    Pages,
    /// Of many creators of one key exactly one lands.
    CreateRace,
    /// Of many updates of one object none is lost.
    ReplaceRace,
    /// A replace that races with a delete does not bring the object back.
    DeleteRace,
    /// Lists show what stays while neighbours come and go.
    Churn,
}

impl Probe {
    /// Every probe, each after those whose promises it rests on.
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

    /// Asks the bucket. Its keys begin with the probe's name, and stay behind: see
    /// [`Subject::clear`].
    ///
    /// # Errors
    /// The bucket does not keep the promise, or could not be asked.
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
