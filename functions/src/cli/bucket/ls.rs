//! `bucket ls`: lists keys, sizes and times of objects.

use millpond::keys::Prefix;
use serde_json::json;

use super::super::context::CommandContext;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::text;

/// Keys per request: the maximum that stores return.
const PAGE: usize = 1_000;

/// List the objects whose keys begin with PREFIX
///
/// One request per 1,000 objects. With --json, one document per line: key, size in bytes, time of
/// modification.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The beginning of the keys [default: all]
    #[arg(value_name = "PREFIX", default_value = "", hide_default_value = true)]
    prefix: String,
    /// Add the stored size in bytes and the time of the last write, by the store's clock
    #[arg(long, short)]
    long: bool,
    /// Maximum number of objects [default: all]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

pub(super) async fn run(args: Args, context: &CommandContext) -> Result<Exit, Error> {
    let prefix = Prefix::parse(&args.prefix).map_err(|error| Error::Usage(error.to_string()))?;
    let bucket = &context.engine.ports().bucket;
    let mut left = args.limit.unwrap_or(usize::MAX);
    let mut after = None;
    while left > 0 {
        let page = bucket.list(&prefix, after.as_ref(), left.min(PAGE)).await?;
        left -= page.entries.len().min(left);
        for row in &page.entries {
            if context.streams.json() {
                let (key, size, modified) = (&row.key, row.size, row.modified);
                let row = json!({"key": key, "size": size, "modified": modified});
                context.streams.record(&row)?;
            } else if args.long {
                let modified = text::instant(row.modified);
                context
                    .streams
                    .line(format!("{:>12}  {modified}  {}", row.size, row.key))?;
            } else {
                context.streams.line(&row.key)?;
            }
        }
        after = page.next;
        if after.is_none() {
            return Ok(Exit::Done);
        }
    }
    context.streams.note("more objects follow: raise --limit");
    Ok(Exit::Done)
}
