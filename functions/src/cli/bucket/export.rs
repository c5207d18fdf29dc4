//! `bucket export`: writes every object as a file.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

use futures::StreamExt as _;
use millpond::keys::{Key, Prefix};
use serde_json::json;

use super::super::context::CommandContext;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::text;
use super::source::source;

/// Keys per request: the maximum that stores return.
const PAGE: usize = 1_000;
/// Concurrent reads.
const WIDE: usize = 16;

/// Write every object as a file below DIR, at the path that its key spells
///
/// One request per object, and one per 1,000 objects. Objects that are deleted during the export are
/// left out: it is not a snapshot of a bucket in use.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A folder that is empty or does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Write the stored bytes, not decompressed or decrypted
    #[arg(long)]
    raw: bool,
}

pub(super) async fn run(args: Args, context: &CommandContext) -> Result<Exit, Error> {
    let folder = args.folder;
    empty(&folder)?;
    let bucket = source(context, args.raw);
    let (mut objects, mut bytes, mut gone) = (0_u64, 0_u64, 0_u64);
    let mut after = None;
    loop {
        let page = bucket.list(&Prefix::all(), after.as_ref(), PAGE).await?;
        let keys: Vec<_> = page.entries.into_iter().map(|row| row.key).collect();
        after = page.next;
        let mut read = futures::stream::iter(keys)
            .map(|key| async { (bucket.read(&key).await, key) })
            .buffer_unordered(WIDE);
        while let Some((object, key)) = read.next().await {
            let Some(object) = object? else {
                gone += 1;
                continue;
            };
            write(&folder, &key, &object.body)?;
            objects += 1;
            bytes += object.body.len() as u64;
        }
        if after.is_none() {
            break;
        }
    }
    if context.streams.json() {
        let done = json!({"folder": folder, "objects": objects, "bytes": bytes, "gone": gone});
        context.streams.document(&done)?;
    } else {
        let (size, folder) = (text::size(bytes), folder.display());
        let done = format!("exported {objects} objects, {bytes} bytes ({size}) to {folder}");
        context.streams.line(done)?;
        if gone > 0 {
            context.streams.note(format!(
                "note: {gone} objects were deleted during the export"
            ));
        }
    }
    Ok(Exit::Done)
}

/// Creates the folder; one that is not empty is rejected.
fn empty(folder: &Path) -> Result<(), Error> {
    let no = |source| unwritten(folder, source);
    fs::create_dir_all(folder).map_err(no)?;
    match fs::read_dir(folder).map_err(no)?.next() {
        None => Ok(()),
        Some(_) => Err(Error::Usage(format!(
            "the folder of the export is not empty: name a new or an empty folder: path={}",
            folder.display()
        ))),
    }
}

/// Blocks the thread: this process runs nothing else at the same time.
fn write(folder: &Path, key: &Key, body: &[u8]) -> Result<(), Error> {
    let path = below(folder, key)?;
    let no = |source| unwritten(&path, source);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(no)?;
    }
    // `create_new`: keys that differ only in case are one file on some file systems.
    let file = fs::File::options().write(true).create_new(true).open(&path);
    file.and_then(|mut file| file.write_all(body)).map_err(no)
}

/// Keys have no `..` and no empty parts (`Key::parse`), but the safety of other folders must not depend
/// on that alone.
fn below(folder: &Path, key: &Key) -> Result<PathBuf, Error> {
    let name = Path::new(key.as_str());
    let plain = |part| matches!(part, Component::Normal(_));
    if !name.components().all(plain) {
        return Err(Error::Usage(format!(
            "cannot export an object: its key is not a relative path: key={key}"
        )));
    }
    Ok(folder.join(name))
}

fn unwritten(path: &Path, source: io::Error) -> Error {
    let what = path.display().to_string();
    Error::Unwritten { what, source }
}
