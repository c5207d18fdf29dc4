//! A folder of the bucket for each connection, so that tests do not interfere.

use std::sync::Arc;

use bytes::Bytes;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, Expect, Outcome, Page, Version};

use crate::wire::{Answer, Ask};

/// Attempts of a write that receives no reply from the store.
const TRIES: usize = 3;

/// The bucket as seen by one connection.
#[derive(Debug)]
pub(crate) struct Room {
    bucket: Arc<dyn Bucket>,
    /// With a trailing slash.
    folder: String,
}

impl Room {
    pub(crate) fn new(bucket: Arc<dyn Bucket>, number: usize) -> Self {
        let folder = format!("r{number}/");
        Self { bucket, folder }
    }

    /// Performs a request; returns the reply with the object's bytes.
    pub(crate) async fn ask(&self, ask: &Ask, body: Vec<u8>) -> (Answer, Bytes) {
        match self.try_ask(ask, body).await {
            Ok(answered) => answered,
            Err(why) => (Answer::Failed { why }, Bytes::new()),
        }
    }

    async fn try_ask(&self, ask: &Ask, body: Vec<u8>) -> Result<(Answer, Bytes), String> {
        let mut bytes = Bytes::new();
        let answer = match ask {
            Ask::Hello { .. } => return Err("a greeting is not answered".to_owned()),
            Ask::Read { key } => match self
                .bucket
                .read(&self.key(key)?)
                .await
                .map_err(|error| whole(&error))?
            {
                None => Answer::Absent,
                Some(object) => {
                    bytes = object.body;
                    let version = object.version.as_str().to_owned();
                    Answer::Object { version }
                }
            },
            Ask::Write { key, expect } => {
                let expect = match expect {
                    None => Expect::Absent,
                    Some(version) => Expect::At(Version::new(version.as_str())),
                };
                let key = self.key(key)?;
                match self.write(&key, body.into(), expect).await? {
                    Outcome::Landed(version) => Answer::Landed {
                        version: version.as_str().to_owned(),
                    },
                    Outcome::Refused => Answer::Refused,
                    Outcome::Unknown => Answer::Unknown,
                }
            }
            Ask::Delete { key } => {
                self.bucket
                    .delete(&self.key(key)?)
                    .await
                    .map_err(|error| whole(&error))?;
                Answer::Deleted
            }
            Ask::List {
                prefix,
                after,
                limit,
            } => {
                let prefix = Prefix::parse(&format!("{}{prefix}", self.folder));
                let prefix = prefix.map_err(|error| error.to_string())?;
                let after = after.as_deref().map(|after| self.key(after)).transpose()?;
                let listed = self.bucket.list(&prefix, after.as_ref(), *limit).await;
                self.page(&listed.map_err(|error| whole(&error))?)?
            }
        };
        Ok((answer, bytes))
    }

    /// Performs a write. A missing reply of the store (a closed connection, a timeout) must not
    /// appear as a difference from memory: the outcome is determined by a read, since there is no
    /// other writer here. If the write lands after that read, the next attempt is refused, and the
    /// test fails.
    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, String> {
        for _ in 0..TRIES {
            let written = self.bucket.write(key, body.clone(), expect.clone()).await;
            match written.map_err(|error| whole(&error))? {
                Outcome::Unknown => {
                    eprintln!("millpond-mirror: a write was not answered, and is looked up: {key}");
                }
                answered => return Ok(answered),
            }
            let Some(found) = self.bucket.read(key).await.map_err(|error| whole(&error))? else {
                continue;
            };
            let as_before = matches!(&expect, Expect::At(version) if *version == found.version);
            if found.body == body && !as_before {
                return Ok(Outcome::Landed(found.version));
            }
        }
        Ok(Outcome::Unknown)
    }

    fn key(&self, key: &str) -> Result<Key, String> {
        Key::parse(&format!("{}{key}", self.folder)).map_err(|error| error.to_string())
    }

    fn page(&self, page: &Page) -> Result<Answer, String> {
        let mut keys = Vec::with_capacity(page.entries.len());
        for entry in &page.entries {
            match entry.key.as_str().strip_prefix(&self.folder) {
                Some(key) => keys.push((key.to_owned(), entry.size)),
                None => return Err(format!("a list shows another folder's key: {}", entry.key)),
            }
        }
        let more = page.next.is_some();
        Ok(Answer::Page { keys, more })
    }
}

/// An error with its causes, in one line.
fn whole(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
