//! Histories that were exported: objects of `bucket export`, documents of `journal --json`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use millpond::client::{Engine, JournalPage};
use millpond::domain::ExecutionId;
use millpond::keys::{self, Key};
use millpond::ports::Expect;

use super::error::Error;

/// What a set of paths contains.
#[derive(Default)]
pub(super) struct Histories {
    /// Objects by key: heads, segments, large values, archives.
    pub(super) objects: Vec<(Key, Vec<u8>)>,
    /// Journals, with the names of their files.
    pub(super) pages: Vec<(PathBuf, JournalPage)>,
}

impl Histories {
    /// Reads files and folders completely.
    ///
    /// # Errors
    /// A path cannot be read, or contains no history.
    pub(super) fn read(paths: &[PathBuf]) -> Result<Self, Error> {
        let mut read = Self::default();
        for path in paths {
            let before = read.objects.len() + read.pages.len();
            if path.is_dir() {
                read.folder(path, path, is_export(path))?;
            } else {
                read.page(path)?;
            }
            if read.objects.len() + read.pages.len() == before {
                let path = path.display();
                let what = format!(
                    "no history here: name a folder of `bucket export`, or files of `journal --json`: \
                     path={path}"
                );
                return Err(Error::Usage(what));
            }
        }
        Ok(read)
    }

    fn folder(&mut self, root: &Path, folder: &Path, export: bool) -> Result<(), Error> {
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(|source| unread(folder, source))? {
            paths.push(entry.map_err(|source| unread(folder, source))?.path());
        }
        paths.sort();
        for path in paths {
            if path.is_dir() {
                self.folder(root, &path, export)?;
            } else if export {
                self.object(root, &path)?;
            } else if path.extension().is_some_and(|name| name == "json") {
                self.page(&path)?;
            }
        }
        Ok(())
    }

    /// The object that the path spells. Others than those of executions are left out.
    fn object(&mut self, root: &Path, path: &Path) -> Result<(), Error> {
        let parts = path.strip_prefix(root).unwrap_or(path).iter();
        let parts: Vec<_> = parts.map(|part| part.to_string_lossy()).collect();
        let key = Key::parse(&parts.join("/"));
        let Some(key) = key.ok().filter(|key| of_execution(key).is_some()) else {
            return Ok(());
        };
        let body = fs::read(path).map_err(|source| unread(path, source))?;
        self.objects.push((key, body));
        Ok(())
    }

    fn page(&mut self, path: &Path) -> Result<(), Error> {
        let text = fs::read(path).map_err(|source| unread(path, source))?;
        let invalid = |why: String| {
            let path = path.display();
            Error::Usage(format!(
                "no document of `journal --json`: {why}: path={path}"
            ))
        };
        let page: JournalPage =
            serde_json::from_slice(&text).map_err(|error| invalid(error.to_string()))?;
        let first = page.commits.first().map_or(1, |commit| commit.commit);
        if page.next.is_some() || first != 1 {
            let why = "it is only a part of the journal; write all of it, with a larger --limit";
            return Err(invalid(why.to_owned()));
        }
        self.pages.push((path.to_owned(), page));
        Ok(())
    }
}

/// Writes the objects to the bucket of `engine`, and returns their executions.
///
/// # Errors
/// The store failed.
pub(super) async fn load(
    engine: &Engine,
    objects: Vec<(Key, Vec<u8>)>,
) -> Result<Vec<ExecutionId>, Error> {
    let mut executions = Vec::new();
    for (key, body) in objects {
        if let Some(eid) = of_execution(&key)
            && key == keys::head(&eid)
        {
            executions.push(eid);
        }
        let bucket = &engine.ports().bucket;
        let _ = bucket.write(&key, body.into(), Expect::Absent).await?;
    }
    Ok(executions)
}

/// The execution whose journal the object is a part of.
fn of_execution(key: &Key) -> Option<ExecutionId> {
    keys::lease(key).or_else(|| keys::archived(key))
}

fn is_export(folder: &Path) -> bool {
    folder.join("x").is_dir()
}

fn unread(path: &Path, source: io::Error) -> Error {
    let what = path.display().to_string();
    Error::Input { what, source }
}
