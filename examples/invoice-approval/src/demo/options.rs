//! The options of `demo`.

use std::path::PathBuf;

/// Runs all invoices of a file on a fresh pond, kills the worker on the way, and checks what
/// Millpond promises.
#[derive(Debug, Clone, clap::Parser)]
#[command(name = "invoice-approval demo")]
pub struct Options {
    /// The invoices; without it, those that come with the example.
    #[arg(long, value_name = "CSV")]
    pub file: Option<PathBuf>,
    /// The file to use as bucket, new; without it, a temporary one.
    #[arg(long, value_name = "FILE")]
    pub pond: Option<PathBuf>,
    /// A bucket to use instead of a file, empty below its prefix: `s3://bucket/prefix`.
    #[arg(long, value_name = "URL", conflicts_with = "pond")]
    pub bucket: Option<String>,
    /// The bank's ledger, new; without it, beside the pond.
    #[arg(long, value_name = "CSV")]
    pub ledger: Option<PathBuf>,
    /// How long an invoice waits for its approval, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 15)]
    pub patience: u64,
    /// Prints one JSON object instead of tables.
    #[arg(long)]
    pub json: bool,
}
