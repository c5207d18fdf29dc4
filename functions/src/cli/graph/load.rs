//! The definition that a command line names.

use std::path::{Path, PathBuf};

use millpond_graph::Limits;
use millpond_graph::check::{Report, check};
use millpond_graph::read::Format;

use super::super::error::Error;
use super::super::input::Input;

/// A definition.
#[derive(Debug, clap::Args)]
pub(super) struct Text {
    /// The definition, or `-` for standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// The format of the definition [default: by the extension of FILE]
    #[arg(long, value_name = "FORMAT", value_enum)]
    from: Option<From>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum From {
    Json,
    Yaml,
    Toml,
}

impl Text {
    /// Reads the definition and checks it; also returns the name used in messages.
    ///
    /// # Errors
    /// The text cannot be read, is not UTF-8, or has an unknown format.
    pub(super) fn check(&self) -> Result<(String, Report), Error> {
        of_path(&self.path, self.from.map(format))
    }
}

/// The same for any path; without a format, its extension specifies it.
///
/// # Errors
/// As [`Text::check`].
pub(super) fn of_path(path: &Path, format: Option<Format>) -> Result<(String, Report), Error> {
    let input = Input::of(path);
    let name = input.to_string();
    let format = format.or_else(|| by_extension(path)).ok_or_else(|| {
        Error::Usage(format!(
            "the format of the definition is not known: the name does not end with .json, .yaml, \
             .yml or .toml; name it with --from json, yaml or toml: source={name}"
        ))
    })?;
    let limits = Limits::default();
    let text = String::from_utf8(input.bytes(limits.definition)?).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        Error::Usage(format!(
            "the definition is not UTF-8; save it as UTF-8: source={name}, offset={offset}"
        ))
    })?;
    Ok((name, check(&text, format, &limits, &())))
}

fn format(from: From) -> Format {
    match from {
        From::Json => Format::Json,
        From::Yaml => Format::Yaml,
        From::Toml => Format::Toml,
    }
}

fn by_extension(path: &Path) -> Option<Format> {
    Format::of_extension(path.extension()?.to_str()?)
}
