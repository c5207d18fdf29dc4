//! Where the rules of an application are.

use std::io;
use std::path::Path;

use millpond::keys::{InvalidKey, Key};
use millpond::ports::{Bucket, BucketError};

use super::error::RulesError;
use super::rules::Rules;

/// The object with the rules, where no file is named.
pub const OBJECT: &str = "config/triggers.toml";

/// Rules that are not there, or no good.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// No file of this name can be read.
    #[error("the rules in {path} cannot be read")]
    File {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// There are none.
    #[error(
        "there are no rules: name a file (in the command, or by MILLPOND_TRIGGERS), or put an object {OBJECT} into \
         the bucket"
    )]
    Absent,
    /// The bucket did not give them.
    #[error("the rules in {OBJECT} cannot be read")]
    Bucket {
        /// Why.
        source: BucketError,
    },
    /// They are not text.
    #[error("the rules in {place} are not UTF-8 text")]
    Text {
        /// Where they are.
        place: String,
    },
    /// They are no good.
    #[error("the rules in {place} are no good:\n{source}")]
    Rules {
        /// Where they are.
        place: String,
        /// Why.
        source: RulesError,
    },
    /// The name of the object is none.
    #[error(transparent)]
    Key(#[from] InvalidKey),
}

/// The text of rules, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesText {
    /// Where it is, for people.
    pub place: String,
    /// The text.
    pub text: String,
}

impl RulesText {
    /// Reads a file.
    ///
    /// # Errors
    /// [`LoadError`]: it cannot be read, or is no text.
    pub fn file(path: &Path) -> Result<Self, LoadError> {
        let place = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|source| LoadError::File {
            path: place.clone(),
            source,
        })?;
        Self::of(place, bytes)
    }

    /// Reads the bucket's [`OBJECT`]. 1 G.
    ///
    /// # Errors
    /// [`LoadError`]: it is not there, cannot be read, or is no text.
    pub async fn object(bucket: &dyn Bucket) -> Result<Self, LoadError> {
        let found = bucket.read(&Key::parse(OBJECT)?).await;
        let found = found.map_err(|source| LoadError::Bucket { source })?;
        let object = found.ok_or(LoadError::Absent)?;
        Self::of(OBJECT.to_owned(), object.body.to_vec())
    }

    fn of(place: String, bytes: Vec<u8>) -> Result<Self, LoadError> {
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { place, text }),
            Err(_) => Err(LoadError::Text { place }),
        }
    }
}

impl Rules {
    /// The rules of a file (`MILLPOND_TRIGGERS`), else of the bucket's [`OBJECT`]: 1 G.
    ///
    /// # Errors
    /// [`LoadError`]: there are none, or they are no good.
    pub async fn load(file: Option<&Path>, bucket: &dyn Bucket) -> Result<Self, LoadError> {
        let RulesText { place, text } = match file {
            Some(path) => RulesText::file(path)?,
            None => RulesText::object(bucket).await?,
        };
        Self::parse(&text).map_err(|source| LoadError::Rules { place, source })
    }
}
