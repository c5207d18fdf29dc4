//! On AWS Lambda: the same binary, in the role that `MILLPOND_ROLE` names. Each shell converts an event
//! into a call of a role, and the result into the form that Lambda expects; it makes no decisions.

mod api;
mod context;
mod deployment;
mod failed;
mod last;
mod log;
mod metrics;
mod retention;
mod starter;
mod sweeper;
#[cfg(test)]
mod tests;
mod worker;

use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use lambda_runtime::{Diagnostic, LambdaEvent, Runtime, service_fn};
use millpond::client::{App, chain};
use serde_json::Value;
use serde_json::value::RawValue;
use tracing::Instrument as _;

use self::context::Cloud;
use self::deployment::{Deployment, Role};
use self::failed::Failed;
use self::last::Last;
use self::metrics::Metrics;
use crate::environment::Environment;
use crate::events::parse;
use crate::telemetry::Telemetry;
use crate::triggers::Rules;

/// Threads that run the engine. A function has a fraction of a processor, or a few.
const THREADS: usize = 2;

/// Serves invocations until the process is stopped.
#[must_use = "it is the exit code of the process"]
pub(crate) fn main(app: App, rules: Rules, environment: &Environment) -> ExitCode {
    let telemetry = log::begin();
    match serve(app, rules, environment, &telemetry) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let error = chain(error.as_ref());
            tracing::error!(%error, "the function cannot start");
            ExitCode::FAILURE
        }
    }
}

fn serve(
    app: App,
    rules: Rules,
    environment: &Environment,
    telemetry: &Telemetry,
) -> Result<(), Failed> {
    let deployment = Deployment::read(|name| std::env::var_os(name))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let cloud = &Cloud::open(app, rules, environment, deployment).await?;
        let last = &Last::default();
        let handler = service_fn(async |event: LambdaEvent<Box<RawValue>>| {
            let LambdaEvent { payload, context } = event;
            let request_id = &context.request_id;
            let span = tracing::info_span!("invocation", %request_id, role = %cloud.role());
            let (left, began) = (left(context.deadline), Instant::now());
            let answer = async {
                let payload = parse(payload.get())?;
                invoke(cloud, payload, left, request_id).await
            };
            let answer = Box::pin(answer.instrument(span)).await;
            if !cloud.is_at_rest(left.saturating_sub(began.elapsed())).await {
                tracing::warn!(%request_id, "work did not end in time: the process exits after its response");
                last.set();
            }
            // The process is frozen after it has answered.
            telemetry.flush();
            answer.map_err(|error| Diagnostic {
                error_type: format!("millpond.{}", cloud.role()),
                error_message: chain(error.as_ref()),
            })
        });
        Runtime::new(handler).layer(last.layer()).run().await
    })
}

/// One invocation: the role's work, then the remaining hints, then the metrics.
async fn invoke(
    cloud: &Cloud,
    payload: Value,
    left: Duration,
    request_id: &str,
) -> Result<Value, Failed> {
    let began = Instant::now();
    let mut metrics = Metrics::begin(cloud, request_id);
    let answer = match cloud.role() {
        Role::Worker => worker::worker(cloud, payload, left, &mut metrics).await,
        Role::Sweeper => sweeper::sweeper(cloud, left, &mut metrics).await,
        Role::Retention => retention::retention(cloud, left, &mut metrics).await,
        Role::Starter => starter::starter(cloud, payload, left, &mut metrics).await,
        Role::Api => api::api(cloud, payload, left).await,
    };
    cloud.flush(left.saturating_sub(began.elapsed())).await;
    metrics.write(cloud);
    answer
}

/// The remaining time of the invocation.
fn left(deadline_ms: u64) -> Duration {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Duration::from_millis(deadline_ms).saturating_sub(now.unwrap_or_default())
}
