//! Loads the rules of an application.

use std::io;
use std::path::Path;

use millpond::keys::{InvalidKey, Key};
use millpond::ports::{Bucket, BucketError};

use super::error::RulesError;
use super::rules::Rules;

/// The object with the rules, if no file is configured.
pub const OBJECT: &str = "config/triggers.toml";

/// Why rules could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot read the trigger rules: file={path}")]
    File {
        /// The file.
        path: String,
        /// The cause.
        source: io::Error,
    },
    /// Neither a file nor an object exists.
    #[error(
        "no trigger rules were found: name a file (in the command, or in MILLPOND_TRIGGERS), or put an object \
         {OBJECT} into the bucket"
    )]
    Absent,
    /// The object cannot be read.
    #[error("cannot read the trigger rules: object={OBJECT}")]
    Bucket {
        /// The cause.
        source: BucketError,
    },
    /// The rules are not text.
    #[error("the trigger rules are not UTF-8 text: {place}")]
    Text {
        /// The location.
        place: String,
    },
    /// The rules are invalid.
    #[error("the trigger rules in {place} are invalid:\n{source}")]
    Rules {
        /// The location.
        place: String,
        /// The cause.
        source: RulesError,
    },
    /// The object's key is invalid.
    #[error(transparent)]
    Key(#[from] InvalidKey),
}

/// The text of rules, and its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesText {
    /// The location, for messages.
    pub place: String,
    /// The text.
    pub text: String,
}

impl RulesText {
    /// Reads a file.
    ///
    /// # Errors
    /// [`LoadError`]: the file cannot be read, or is not text.
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
    /// [`LoadError`]: the object does not exist, cannot be read, or is not text.
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
    /// [`LoadError`]: there are no rules, or they are invalid.
    pub async fn load(file: Option<&Path>, bucket: &dyn Bucket) -> Result<Self, LoadError> {
        let RulesText { place, text } = match file {
            Some(path) => RulesText::file(path)?,
            None => RulesText::object(bucket).await?,
        };
        Self::parse(&text).map_err(|source| LoadError::Rules { place, source })
    }
}
