//! The command and its subcommands.

use std::path::PathBuf;

use millpond::client::App;

use super::super::command::Launch;
use super::super::context::CommandContext;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::invocation::Invocation;
use super::super::needs::Needs;
use super::setting::Setting;
use super::{check, event};
use crate::triggers::RulesText;

/// Check the rules by which events start or signal executions
///
/// The rules are in FILE, otherwise in the file in MILLPOND_TRIGGERS, otherwise in
/// config/triggers.toml in the bucket.
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

// The bucket is opened only if the rules are in it.
impl Launch for Args {
    async fn launch(self, invocation: Invocation<'_>) -> Result<Exit, Error> {
        let setting = Setting::new(&invocation)?;
        let file = self.file().or(invocation.environment.triggers.as_ref());
        if let Some(path) = file {
            let text = RulesText::file(path).map_err(Error::Rules)?;
            return self.run(&setting, &invocation.app, &text);
        }
        let streams = invocation.streams;
        let opened = Box::pin(CommandContext::open(invocation, Needs::ONE_SHOT)).await;
        let context = opened.inspect_err(|_| {
            streams
                .note("note: neither FILE nor MILLPOND_TRIGGERS names rules: those in the bucket are used");
        })?;
        let bucket = context.engine.ports().bucket.as_ref();
        let text = RulesText::object(bucket).await.map_err(Error::Rules)?;
        self.run(&setting, context.engine.app(), &text)
    }
}

impl Args {
    fn file(&self) -> Option<&PathBuf> {
        match &self.command {
            Command::Check(args) => args.file.as_ref(),
            Command::Test(args) => args.file.as_ref(),
        }
    }

    fn run(&self, setting: &Setting<'_>, app: &App, text: &RulesText) -> Result<Exit, Error> {
        match &self.command {
            Command::Check(_) => check::run(setting, app, text),
            Command::Test(args) => event::run(args, setting, text),
        }
    }
}
