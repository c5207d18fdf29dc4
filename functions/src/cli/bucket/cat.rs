//! `bucket cat`: prints the bytes of one object.

use millpond::keys::{Key, Prefix};

use super::super::context::CommandContext;
use super::super::error::Error;
use super::super::exit::Exit;
use super::source::source;

/// Maximum number of similar keys in the error for a missing key.
const NEAR: usize = 3;

/// Write the object KEY to stdout, unchanged
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The key, as `bucket ls` shows it
    #[arg(value_name = "KEY")]
    key: String,
    /// Print the stored bytes, not decompressed or decrypted
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
    // The key may be incomplete: the error names keys with the same beginning.
    let (mut near, mut after) = (Vec::new(), None);
    if let Ok(prefix) = Prefix::parse(key.as_str()) {
        while near.len() < NEAR {
            let left = NEAR - near.len();
            let page = bucket.list(&prefix, after.as_ref(), left).await?;
            near.extend(page.entries);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
    }
    Err(Error::NotFound {
        what: format!("no object {key} in {}", context.url),
        near: near.into_iter().map(|row| row.key.to_string()).collect(),
    })
}
