//! `triggers`: rules that start workflows, and what they make of an event.

mod check;
mod event;
mod explain;

use std::path::PathBuf;

use millpond::client::App;

use super::args::Globals;
use super::desk::Desk;
use super::error::Error;
use super::{Exit, Streams};
use crate::bucket::Location;
use crate::environment::Environment;
use crate::triggers::{Own, RulesText, Secrets};

/// Look at the rules by which events start workflows, or signal them
///
/// They are in FILE, else in the file that MILLPOND_TRIGGERS names, else in the bucket's
/// config/triggers.toml.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Check(check::Args),
    Test(event::Args),
}

impl Args {
    fn file(&self) -> Option<&PathBuf> {
        match &self.command {
            Command::Check(args) => args.file.as_ref(),
            Command::Test(args) => args.file.as_ref(),
        }
    }
}

/// What rules are held against.
pub(crate) struct Place<'a> {
    /// Where the engine's state is, if that is in S3.
    own: Option<Own>,
    /// What is known of senders of requests.
    secrets: Option<&'a Secrets>,
    streams: &'a Streams,
    environment: &'a Environment,
}

impl<'a> Place<'a> {
    /// Opens nothing.
    ///
    /// # Errors
    /// The URL names no bucket.
    pub(crate) fn new(
        globals: &Globals,
        environment: &'a Environment,
        streams: &'a Streams,
    ) -> Result<Self, Error> {
        let url = globals.bucket.as_deref().or(environment.bucket.as_deref());
        let location: Option<Location> = url.map(str::parse).transpose()?;
        Ok(Self {
            own: location.as_ref().and_then(own),
            secrets: environment.webhook_secrets.as_ref(),
            streams,
            environment,
        })
    }

    /// The rules in a file, if one is named.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn named(&self, args: &Args) -> Result<Option<RulesText>, Error> {
        let file = args.file().or(self.environment.triggers.as_ref());
        let text = file.map(|path| RulesText::file(path)).transpose();
        text.map_err(Error::Rules)
    }
}

/// The rules in the bucket.
///
/// # Errors
/// There are none; the store failed.
pub(crate) async fn stored(desk: &Desk) -> Result<RulesText, Error> {
    let bucket = desk.engine.ports().bucket.as_ref();
    RulesText::object(bucket).await.map_err(Error::Rules)
}

pub(crate) fn run(
    args: &Args,
    place: &Place<'_>,
    app: &App,
    text: &RulesText,
) -> Result<Exit, Error> {
    match &args.command {
        Command::Check(_) => check::run(place, app, text),
        Command::Test(args) => event::run(args, place, text),
    }
}

#[cfg(feature = "s3")]
fn own(location: &Location) -> Option<Own> {
    match location {
        Location::S3(options) => Some(Own::new(&options.bucket, &options.prefix)),
        _ => None,
    }
}

#[cfg(not(feature = "s3"))]
fn own(_: &Location) -> Option<Own> {
    None
}
