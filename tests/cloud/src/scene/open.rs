//! The setup of a scene.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use millpond_servers::Server;
use serde_json::Value;
use tempfile::TempDir;

use crate::aws;
use crate::queue::Chaos;
use crate::scene::calls::Http;
use crate::stack::{Plan, Stack, StackError, Template};

/// The mapping from its queue to the worker.
const MAIL: &str = "WorkerFunctionMail";

/// The settings of a scene.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The application's binary.
    pub binary: PathBuf,
    /// The timeout of a worker's invocation.
    pub timeout: Duration,
    /// The visibility timeout of a received message.
    pub visibility: Duration,
    /// The duration of a lease without renewal.
    pub ttl: Duration,
    /// The sweeper's period.
    pub sweep: Duration,
    /// Maximum number of instances of each function.
    pub instances: usize,
    /// Memory of a worker, in MB.
    pub memory_mb: u64,
    /// The starter's rules, in which `BUCKET` is replaced by the bucket; `None`: no rules.
    pub rules: Option<String>,
    /// Days until a finished execution is archived.
    pub retention_days: f64,
    /// The faults of message delivery.
    pub chaos: Chaos,
    /// Whether Lambda stops chains of the worker, in spite of the template.
    pub stops_chains: bool,
    /// Whether messages wait in the worker's queue until [`Scene::release`].
    pub held: bool,
}

impl Setting {
    /// Seconds instead of the minutes on AWS; no injected faults.
    #[must_use]
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        Self {
            binary: binary.into(),
            timeout: Duration::from_secs(20),
            visibility: Duration::from_secs(25),
            ttl: Duration::from_secs(6),
            sweep: Duration::from_secs(5),
            instances: 4,
            memory_mb: 256,
            rules: None,
            retention_days: 0.0,
            chaos: Chaos::default(),
            stops_chains: false,
            held: false,
        }
    }
}

/// The application on the emulated cloud.
#[derive(Debug)]
pub struct Scene {
    /// The deployment.
    pub stack: Stack,
    pub(crate) server: Server,
    pub(crate) setting: Setting,
    pub(crate) s3: aws_sdk_s3::Client,
    pub(crate) http: Http,
    pub(crate) folder: PathBuf,
    /// Removed on drop, unless it is kept.
    temporary: Option<TempDir>,
}

impl Scene {
    /// Starts LocalStack, unless the address of a running one is set, and deploys.
    ///
    /// # Errors
    /// [`StackError`] if the template cannot be deployed.
    ///
    /// # Panics
    /// If the server cannot be started, or rejects a request.
    pub async fn open(setting: Setting) -> Result<Self, StackError> {
        let server = Server::localstack();
        let temporary = tempfile::tempdir()?;
        let folder = temporary.path().to_owned();
        let name = fresh_name();
        let starter = if setting.rules.is_some() { "yes" } else { "no" };
        let parameters = [("WorkerTimeout", "30"), ("Starter", starter)];
        let mut template = Template::expand(&name, &name, &parameters)?;
        adjust(&mut template, &setting);
        let mut plan = Plan::new(&setting.binary, &folder);
        plan.instances = setting.instances;
        // A lost upload is never resent: only mail is lost, which the sweeper finds.
        let uploads = Chaos {
            lost_percent: 0,
            ..setting.chaos.clone()
        };
        plan.chaos
            .insert("StarterFunctionEvent".to_owned(), uploads);
        plan.chaos.insert(MAIL.to_owned(), setting.chaos.clone());
        if setting.held {
            plan.held.insert(MAIL.to_owned());
        }
        if let Some(rules) = &setting.rules {
            let rules = rules.replace("BUCKET", &name);
            plan.objects
                .insert("pond/config/triggers.toml".to_owned(), rules);
        }
        let ledger = |file: &str| folder.join(file).display().to_string();
        plan.environment.extend([
            ("CLOUD_LEDGER".to_owned(), ledger("ledger")),
            ("INVOICE_LEDGER".to_owned(), ledger("payments.csv")),
            (
                "MILLPOND_TTL".to_owned(),
                setting.ttl.as_secs_f64().to_string(),
            ),
        ]);
        let stack = Stack::deploy(server.url(), &template, &plan).await?;
        Ok(Self {
            stack,
            s3: aws::s3(server.url()),
            server,
            setting,
            http: Client::builder(TokioExecutor::new()).build_http(),
            folder,
            temporary: Some(temporary),
        })
    }

    /// Enables polling of the worker's queue, if it was held.
    pub fn release(&self) {
        self.stack.mapping(MAIL).enable(true);
    }

    /// The bucket's URL for the application's commands.
    #[must_use]
    pub fn url(&self) -> String {
        let (bucket, server) = (&self.stack.bucket, self.server.url());
        format!(
            "s3://{bucket}/pond?endpoint={server}&region={}",
            crate::REGION
        )
    }
}

impl Drop for Scene {
    /// The functions' logs are kept after a failure, for its analysis.
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some(temporary) = self.temporary.take()
        {
            eprintln!(
                "the logs of the functions are kept: {}",
                temporary.keep().display()
            );
        }
    }
}

/// The queues that are mapped to functions.
pub(crate) fn queues(setting: &Setting) -> &'static [&'static str] {
    match setting.rules {
        Some(_) => &["DefaultQueue", "EventsQueue"],
        None => &["DefaultQueue"],
    }
}

/// Seconds instead of minutes.
fn adjust(template: &mut Template, setting: &Setting) {
    let seconds = |time: Duration| Value::from(time.as_secs());
    for queue in queues(setting) {
        template.set(&[queue, "VisibilityTimeout"], seconds(setting.visibility));
    }
    template.set(&["WorkerFunction", "Timeout"], seconds(setting.timeout));
    template.set(&["WorkerFunction", "MemorySize"], setting.memory_mb);
    if setting.stops_chains {
        template.set(&["WorkerFunction", "RecursiveLoop"], "Terminate");
    }
    for (function, variable, value) in [
        (
            "SweeperFunction",
            "MILLPOND_SWEEP",
            setting.sweep.as_secs().to_string(),
        ),
        (
            "RetentionFunction",
            "MILLPOND_RETENTION_AFTER",
            setting.retention_days.to_string(),
        ),
    ] {
        template.set(&[function, "Environment", "Variables", variable], value);
    }
}

/// A bucket name that is unique among the scenes that share the server.
fn fresh_name() -> String {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    format!("scene-{}-{}", std::process::id(), since.as_nanos())
}
