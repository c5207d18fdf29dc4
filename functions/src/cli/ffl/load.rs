//! The texts of one program.

use std::path::PathBuf;

use millpond_ffl::program::Library;
use millpond_ffl::source::{MAX_TEXT, Origin, Sources};

use super::super::error::Error;
use super::paths;

/// What a program consists of.
#[derive(Debug, clap::Args)]
pub(super) struct Texts {
    /// The texts, in the order in which they are compiled to one program
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// A folder of texts that are added if their namespaces are missing; may be repeated
    #[arg(long, value_name = "DIR")]
    library: Vec<PathBuf>,
}

impl Texts {
    /// Reads the texts, and those of the libraries that they need.
    ///
    /// # Errors
    /// A text cannot be read, is not UTF-8, or the program is too large.
    pub(super) fn load(&self) -> Result<Sources, Error> {
        let mut sources = Sources::new();
        for input in paths::texts(&self.paths)? {
            let bytes = input.bytes(MAX_TEXT)?;
            sources.add_bytes(&input.to_string(), Origin::Primary, &bytes)?;
        }
        let mut library = Library::new();
        for folder in &self.library {
            for input in paths::folder(folder)? {
                library.add(&input.to_string(), &input.bytes(MAX_TEXT)?)?;
            }
        }
        library.complete(&mut sources)?;
        Ok(sources)
    }
}
