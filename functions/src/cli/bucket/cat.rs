//! `bucket cat`: one object's bytes.

use millpond::keys::{Key, Prefix};

use super::super::context::CommandContext;
use super::super::error::Error;
use super::super::exit::Exit;
use super::source::source;

/// Keys named instead of one that is not there.
const NEAR: usize = 3;

/// Write the object KEY to stdout, byte by byte
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The key, as `bucket ls` shows it
    #[arg(value_name = "KEY")]
    key: String,
    /// As it is stored, not decompressed or decrypted
    #[arg(long)]
    raw: bool,
}

pub(super) async fn run(args: Args, context: &CommandContext) -> Result<Exit, Error> {
    let key = Key::parse(&args.key).map_err(|error| Error::Usage(error.to_string()))?;
    let bucket = source(context, args.raw);
    if let Some(object) = bucket.read(&key).await? {
        context.streams.bytes(&object.body)?;
        return Ok(Exit::Done);
    }
    // Whoever stopped typing too early is told what goes on like that.
    let near = match Prefix::parse(key.as_str()) {
        Ok(prefix) => bucket.list(&prefix, None, NEAR).await?.entries,
        Err(_) => Vec::new(),
    };
    Err(Error::NotFound {
        what: format!("no object {key} in {}", context.url),
        near: near.into_iter().map(|row| row.key.to_string()).collect(),
    })
}
