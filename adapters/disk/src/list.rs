//! Listing keys in the order of their bytes.
//!
//! Folders are walked depth first, each sorted by what its entries mean as text: a folder `a`
//! stands for keys that begin with `a/`, so it comes after a file `a-b`. All keys of a folder
//! are neighbours in that order, so whole folders are passed over, unread, when they end
//! before `after` or do not fit the prefix. Only what is listed is looked at (size, time).
//!
//! A folder that holds an object cannot be pruned: what existed before the listing began, and
//! is not deleted, is met on the way.

use std::fs::{self, DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use millpond::keys::{Key, MAX_KEY, Prefix};
use millpond::ports::{Listed, Page};

use crate::fault::Trouble;
use crate::names::{self, OWN};
use crate::store::{Store, is_absent};

impl Store {
    /// One page of the keys under `prefix`, after `after`.
    pub(crate) fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, Trouble> {
        // The whole components of the prefix are folders: begin there.
        let (above, begin) = match prefix.as_str().rsplit_once('/') {
            Some((whole, _)) => (names::folder(whole, self.case), format!("{whole}/")),
            None => (PathBuf::new(), String::new()),
        };
        let mut walk = Walk {
            store: self,
            prefix: prefix.as_str(),
            after: after.map(Key::as_str),
            limit,
            page: Page::default(),
        };
        walk.visit(&self.root.join(above), &begin)
            .map_err(|e| self.trouble(e))?;
        // Folders that are not there were passed over: all of them, if the root went away (D4).
        self.absent().map(|()| walk.page)
    }
}

struct Walk<'a> {
    store: &'a Store,
    prefix: &'a str,
    after: Option<&'a str>,
    limit: usize,
    page: Page,
}

/// An entry of a folder, by what it means.
struct Found {
    /// The key, or what all keys below begin with.
    text: String,
    path: PathBuf,
    is_folder: bool,
}

impl Walk<'_> {
    /// Lists what is below `folder`, whose keys begin with `begin`, until the page is full.
    fn visit(&mut self, folder: &Path, begin: &str) -> io::Result<()> {
        for found in self.candidates(folder, begin)? {
            if self.page.entries.len() >= self.limit {
                self.page.more = true;
            }
            if self.page.more {
                break;
            }
            if found.is_folder {
                self.visit(&found.path, &found.text)?;
            } else {
                self.show(&found)?;
            }
        }
        Ok(())
    }

    /// What in `folder` may belong on this page or a later one, in order.
    fn candidates(&self, folder: &Path, begin: &str) -> io::Result<Vec<Found>> {
        let mut candidates = Vec::new();
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if is_absent(&error) => return Ok(candidates),
            Err(error) => return Err(error),
        };
        for entry in entries {
            if let Some(found) = self.interpret(&entry?, begin)? {
                candidates.push(found);
            }
        }
        candidates.sort_unstable_by(|a, b| a.text.cmp(&b.text));
        Ok(candidates)
    }

    /// What an entry means; `None` if it is no part of this listing, or no object at all.
    fn interpret(&self, entry: &DirEntry, begin: &str) -> io::Result<Option<Found>> {
        let name = entry.file_name();
        let known = name.to_str().filter(|name| *name != OWN);
        let Some(decoded) = known.and_then(|name| names::decode(name, self.store.case)) else {
            return Ok(None);
        };
        let Some(is_folder) = is_folder(entry)? else {
            return Ok(None);
        };
        let text = match (is_folder, decoded.goes_on) {
            (true, false) => format!("{begin}{}/", decoded.text),
            (true, true) | (false, false) => format!("{begin}{}", decoded.text),
            (false, true) => return Ok(None),
        };
        let fits = if is_folder {
            self.may_hold(&text)
        } else {
            self.takes(&text)
        };
        Ok(fits.then(|| Found {
            text,
            path: entry.path(),
            is_folder,
        }))
    }

    /// Whether the key belongs on this page or a later one.
    fn takes(&self, key: &str) -> bool {
        key.starts_with(self.prefix) && self.after.is_none_or(|after| key > after)
    }

    /// Whether keys that begin with `text` may belong on this page or a later one.
    fn may_hold(&self, text: &str) -> bool {
        text.len() <= MAX_KEY
            && (text.starts_with(self.prefix) || self.prefix.starts_with(text))
            && self
                .after
                .is_none_or(|after| text > after || after.starts_with(text))
    }

    /// Puts one object on the page, unless it was deleted meanwhile or is a stranger's file.
    fn show(&mut self, found: &Found) -> io::Result<()> {
        let Ok(key) = Key::parse(&found.text) else {
            return Ok(());
        };
        match fs::metadata(&found.path) {
            Ok(seen) if !seen.is_file() => {}
            Ok(seen) => self.page.entries.push(Listed {
                key,
                modified: modified(&seen)?,
                size: seen.len(),
            }),
            Err(error) if is_absent(&error) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Whether an entry is a folder (`Some(true)`) or a file; `None` for what we cannot have made
/// (a link, a socket), and for what was deleted meanwhile.
fn is_folder(entry: &DirEntry) -> io::Result<Option<bool>> {
    match entry.file_type() {
        Ok(kind) if kind.is_dir() || kind.is_file() => Ok(Some(kind.is_dir())),
        Ok(_) => Ok(None),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn modified(seen: &Metadata) -> io::Result<Timestamp> {
    Timestamp::try_from(seen.modified()?).map_err(io::Error::other)
}
