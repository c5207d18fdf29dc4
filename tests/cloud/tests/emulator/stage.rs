//! What the tests share.

use std::path::Path;
use std::time::{Duration, Instant};

use millpond_cloud::aws;
use millpond_cloud::lambda::{Failure, Function, Spec};
use millpond_cloud::queue::{Attributes, Queue};
use millpond_servers::{Place, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long anything may take that is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// The file where the probe writes down what comes.
const LEDGER: &str = "ledger";

pub(crate) fn spec() -> Spec {
    Spec::new("probe", env!("CARGO_BIN_EXE_millpond-cloud-probe"))
}

/// Has the probe do something; what it answers, once no instance is under way any more.
pub(crate) async fn ask(function: &Function, what: &str, amount: u64) -> Result<Value, Failure> {
    let event = json!({"do": what, "amount": amount}).to_string();
    let answer = function.invoke(event).await;
    // An answer comes before the instance asks for more: until then another would be started.
    until("all are idle", async || {
        function.instances() == function.frozen()
    })
    .await;
    let answer = answer?;
    Ok(serde_json::from_slice(&answer).expect("the probe answers in JSON"))
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !is_so().await {
        assert!(begun.elapsed() < PATIENCE, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A server, a bucket of the test's own, and a probe that writes down what comes.
pub(crate) struct Stage {
    pub(crate) server: Server,
    pub(crate) place: Place,
    pub(crate) function: Function,
    folder: TempDir,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::with(|spec| spec).await
    }

    pub(crate) async fn with(change: impl FnOnce(Spec) -> Spec) -> Self {
        let server = Server::localstack();
        let place = server.fresh_bucket().await;
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let ledger = folder.path().join(LEDGER);
        let spec = spec().variable("PROBE_LEDGER", ledger.display().to_string());
        let function = Function::new(change(spec));
        Self {
            server,
            place,
            function,
            folder,
        }
    }

    /// A queue of the test's own.
    pub(crate) async fn queue(&self, name: &str, attributes: &[(&str, String)]) -> Queue {
        let attributes = attributes
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()));
        let attributes: Attributes = attributes.collect();
        let name = format!("{}-{name}", self.place.bucket);
        Queue::create(&aws::sqs(self.server.url()), &name, &attributes).await
    }

    /// A queue with a visibility in seconds, and the one that gets what was received `most` times.
    pub(crate) async fn queues(&self, visibility: u64, most: u64) -> (Queue, Queue) {
        let dead = self.queue("dead", &[]).await;
        let redrive = json!({"deadLetterTargetArn": dead.arn, "maxReceiveCount": most});
        let attributes = [
            ("VisibilityTimeout", visibility.to_string()),
            ("RedrivePolicy", redrive.to_string()),
        ];
        (self.queue("main", &attributes).await, dead)
    }

    /// A folder of the test's own.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The variable that has a probe write down what comes.
    pub(crate) fn ledger(&self) -> [(String, String); 1] {
        let path = self.folder.path().join(LEDGER).display().to_string();
        [("PROBE_LEDGER".to_owned(), path)]
    }

    /// The events that the probe has seen.
    pub(crate) fn events(&self) -> Vec<Value> {
        let ledger = std::fs::read_to_string(self.folder.path().join(LEDGER)).unwrap_or_default();
        let event =
            |line| serde_json::from_str::<Value>(line).expect("lines are whole")["event"].take();
        ledger.lines().map(event).collect()
    }

    /// The bodies of the messages that the probe has seen, in the order in which they came.
    pub(crate) fn bodies(&self) -> Vec<String> {
        let events = self.events();
        let records = events
            .iter()
            .flat_map(|event| event["Records"].as_array().into_iter().flatten());
        records
            .filter_map(|record| record["body"].as_str().map(str::to_owned))
            .collect()
    }
}
