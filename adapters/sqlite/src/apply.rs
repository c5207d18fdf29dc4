//! One request within the group's transaction.

use millpond::keys::Key;
use millpond::ports::{Expect, Outcome, Version};
use rusqlite::{Connection, OptionalExtension as _, params};

/// The condition of a create must be evaluated without reading a body.
const INSERT: &str = "INSERT INTO objects (key, version, modified, body) VALUES (?1, ?2, ?3, ?4) \
                      ON CONFLICT (key) DO NOTHING";
const REPLACE: &str =
    "UPDATE objects SET version = ?2, modified = ?3, body = ?4 WHERE key = ?1 AND version = ?5";
const DELETE: &str = "DELETE FROM objects WHERE key = ?1";

/// Writes one row if it is as expected (Q1).
pub(crate) fn write(
    sqlite: &Connection,
    key: &Key,
    body: &[u8],
    expect: &Expect,
    version: Version,
    modified: i64,
) -> rusqlite::Result<Outcome> {
    let (key, new) = (key.as_str(), version.as_str());
    let changed = match expect {
        Expect::Absent => sqlite
            .prepare_cached(INSERT)?
            .execute(params![key, new, modified, body])?,
        Expect::At(old) => sqlite.prepare_cached(REPLACE)?.execute(params![
            key,
            new,
            modified,
            body,
            old.as_str()
        ])?,
    };
    Ok(if changed == 1 {
        Outcome::Landed(version)
    } else {
        Outcome::Refused
    })
}

/// Deletes one row, if it exists.
pub(crate) fn delete(sqlite: &Connection, key: &Key) -> rusqlite::Result<usize> {
    sqlite.prepare_cached(DELETE)?.execute([key.as_str()])
}

pub(crate) fn read(
    sqlite: &Connection,
    key: &Key,
) -> rusqlite::Result<Option<millpond::ports::Object>> {
    sqlite
        .prepare_cached("SELECT version, body FROM objects WHERE key = ?1")?
        .query_row([key.as_str()], |row| {
            let version = row.get_ref(0)?.as_str()?;
            let body = row.get_ref(1)?.as_blob()?;
            Ok(millpond::ports::Object {
                version: Version::new(version),
                body: bytes::Bytes::copy_from_slice(body),
            })
        })
        .optional()
}
