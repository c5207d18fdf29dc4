//! `worker`: runs executions.

use std::net::SocketAddr;
use std::sync::Arc;

use millpond::client::{Notice, Watch, WorkerEvent};

use super::command::Run;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::needs::Needs;
use super::serve::{Serving, serve};
use crate::metrics::{Meters, MetricsServer, Seen};

/// Run executions until interrupted
///
/// The log contains a warning for each execution that failed or was blocked and, with `--log info`,
/// a line for each change of an execution and each attempt of a step. With `--json`, each of them is
/// a document on stdout.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    serving: Serving,
    /// Serve metrics for Prometheus at http://ADDR/metrics, and the state of the worker at /health
    #[arg(long, value_name = "ADDR")]
    metrics: Option<SocketAddr>,
}

impl Run for Args {
    const NEEDS: Needs = Needs::WORKER;

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let mut watch: Option<Watch> = None;
        let mut server = None;
        if let Some(address) = self.metrics {
            let seen = Seen::default();
            let meters = Meters {
                engine: context.engine.clone(),
                metered: Arc::clone(&context.metered),
                seen: seen.clone(),
            };
            let started = MetricsServer::start(address, meters).await?;
            let at = started.address;
            context
                .streams
                .note(format!("metrics: http://{at}/metrics"));
            server = Some(started);
            watch = Some(Arc::new(move |event: &WorkerEvent| seen.observe(event)));
        }
        let exit = serve(self.serving, context, watch, Notice::new(), async {}).await;
        drop(server);
        exit
    }
}
