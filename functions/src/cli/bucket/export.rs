//! `bucket export`: every object as a file.

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

/// Keys asked for at once: what a store gives in one request.
const PAGE: usize = 1_000;
/// Objects read at once.
const WIDE: usize = 16;

/// Write every object as a file below DIR, at the path that its key spells
///
/// One request for each object, and one for each 1,000. Objects that go while it reads are left
/// out: it is no snapshot of a bucket in use.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A folder that is empty, or not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// As they are stored, not decompressed or decrypted
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
        after = keys.last().cloned();
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
        if !page.more || after.is_none() {
            break;
        }
    }
    if context.streams.json() {
        let done = json!({"folder": folder, "objects": objects, "bytes": bytes, "gone": gone});
        context.streams.document(&done)?;
    } else {
        let (size, folder) = (text::size(bytes), folder.display());
        let done = format!("{objects} objects, {bytes} bytes ({size}) in {folder}");
        context.streams.line(done)?;
        if gone > 0 {
            context
                .streams
                .note(format!("{gone} objects went while it was read"));
        }
    }
    Ok(Exit::Done)
}

/// Makes the folder; one with something in it is refused.
fn empty(folder: &Path) -> Result<(), Error> {
    let no = |source| unwritten(folder, source);
    fs::create_dir_all(folder).map_err(no)?;
    match fs::read_dir(folder).map_err(no)?.next() {
        None => Ok(()),
        Some(_) => Err(Error::Usage(format!(
            "{} is not empty: an export needs a folder of its own",
            folder.display()
        ))),
    }
}

/// Files are written while nothing else of the process waits for a thread.
fn write(folder: &Path, key: &Key, body: &[u8]) -> Result<(), Error> {
    let path = below(folder, key)?;
    let no = |source| unwritten(&path, source);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(no)?;
    }
    // New: keys that differ only in case are one file where the file system folds case.
    let file = fs::File::options().write(true).create_new(true).open(&path);
    file.and_then(|mut file| file.write_all(body)).map_err(no)
}

/// Keys have no `..` and no empty parts (`Key::parse`); that nothing leaves the folder must not
/// rest on that alone.
fn below(folder: &Path, key: &Key) -> Result<PathBuf, Error> {
    let name = Path::new(key.as_str());
    let plain = |part| matches!(part, Component::Normal(_));
    if !name.components().all(plain) {
        return Err(Error::Usage(format!("{key} is no path below a folder")));
    }
    Ok(folder.join(name))
}

fn unwritten(path: &Path, source: io::Error) -> Error {
    let what = path.display().to_string();
    Error::Unwritten { what, source }
}
