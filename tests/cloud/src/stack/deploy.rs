//! Deploys a template.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use crate::lambda::{Chains, Function, Report};
use crate::proxy::{Counts, Proxy};
use crate::queue::{Chaos, Mapping, Queue, Settings};
use crate::schedule::Schedule;
use crate::stack::functions::Deployed;
use crate::stack::parts::{bucket, queues};
use crate::stack::{StackError, Template};
use crate::url::{Auth, FunctionUrl};

/// The parts of a deployment that the template does not specify.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The application's binary.
    pub binary: PathBuf,
    /// Variables that each function has in addition to the template's.
    pub environment: BTreeMap<String, String>,
    /// Objects created in the bucket before any function runs.
    pub objects: BTreeMap<String, String>,
    /// The folder for the functions' output.
    pub logs: PathBuf,
    /// Maximum number of instances of a function whose template does not specify it.
    pub instances: usize,
    /// The faults of message delivery, by the mapping's resource.
    pub chaos: BTreeMap<String, Chaos>,
    /// Mappings that do not poll before they are enabled, by resource.
    pub held: BTreeSet<String>,
}

impl Plan {
    /// A plan without injected faults.
    #[must_use]
    pub fn new(binary: impl Into<PathBuf>, logs: impl Into<PathBuf>) -> Self {
        Self {
            binary: binary.into(),
            environment: BTreeMap::new(),
            objects: BTreeMap::new(),
            logs: logs.into(),
            instances: 20,
            chaos: BTreeMap::new(),
            held: BTreeSet::new(),
        }
    }
}

/// A deployment. Its parts are addressed by the template's resource names, such as
/// `WorkerFunction`. Schedules do not tick by themselves; all other parts run until this is
/// dropped.
#[derive(Debug)]
pub struct Stack {
    /// The bucket's name.
    pub bucket: String,
    functions: BTreeMap<String, Deployed>,
    queues: BTreeMap<String, Queue>,
    mappings: BTreeMap<String, Mapping>,
    schedules: BTreeMap<String, Schedule>,
    urls: BTreeMap<String, FunctionUrl>,
    chains: Chains,
}

impl Stack {
    /// Deploys a template on the server at a URL.
    ///
    /// # Errors
    /// [`StackError`] names the part of the template that cannot be deployed.
    ///
    /// # Panics
    /// If the server rejects the creation of a queue or the bucket.
    pub async fn deploy(
        server: &str,
        template: &Template,
        plan: &Plan,
    ) -> Result<Self, StackError> {
        let mut stack = Self {
            queues: queues(server, template).await?,
            bucket: bucket(server, template, &plan.objects).await?,
            functions: BTreeMap::new(),
            mappings: BTreeMap::new(),
            schedules: BTreeMap::new(),
            urls: BTreeMap::new(),
            chains: Chains::default(),
        };
        for (resource, properties) in template.of_type("AWS::Lambda::Function") {
            let chains = &stack.chains;
            let deployed =
                Deployed::new(server, template, plan, resource, properties, chains).await?;
            stack.functions.insert(resource.clone(), deployed);
        }
        for (resource, properties) in template.of_type("AWS::Scheduler::Schedule") {
            let target = template.resolve(&properties["Target"])?;
            let malformed = || StackError::Property {
                resource: resource.clone(),
                property: "Target",
            };
            let arn = target["Arn"].as_str().ok_or_else(malformed)?;
            let input = target["Input"].as_str().ok_or_else(malformed)?;
            let function = stack.function(template.function(arn)?).clone();
            stack
                .schedules
                .insert(resource.clone(), Schedule::new(function, input));
        }
        for (resource, properties) in template.of_type("AWS::Lambda::Url") {
            let auth = match template.text(resource, properties, "AuthType")?.as_str() {
                "NONE" => Auth::Nobody,
                _ => Auth::Iam,
            };
            let arn = template.text(resource, properties, "TargetFunctionArn")?;
            let function = stack.function(template.function(&arn)?).clone();
            stack
                .urls
                .insert(resource.clone(), FunctionUrl::start(function, auth).await?);
        }
        stack.map(template, plan)?;
        Ok(stack)
    }

    fn map(&mut self, template: &Template, plan: &Plan) -> Result<(), StackError> {
        for (resource, properties) in template.of_type("AWS::Lambda::EventSourceMapping") {
            let arn = template.text(resource, properties, "EventSourceArn")?;
            let queue = self.queues.values().find(|queue| queue.arn == arn);
            let queue = queue.ok_or(StackError::Reference(arn))?.clone();
            let called = template.text(resource, properties, "FunctionName")?;
            let function = self.function(template.function(&called)?).clone();
            let number = |value: &serde_json::Value| {
                value
                    .as_u64()
                    .and_then(|number| usize::try_from(number).ok())
            };
            let types = properties["FunctionResponseTypes"].as_array();
            let window = properties["MaximumBatchingWindowInSeconds"].as_u64();
            let most = number(&properties["ScalingConfig"]["MaximumConcurrency"]);
            let settings = Settings {
                batch: number(&properties["BatchSize"]).unwrap_or(10),
                window: Duration::from_secs(window.unwrap_or(0)),
                concurrency: most.unwrap_or(plan.instances).min(plan.instances),
                partial: types
                    .is_some_and(|types| types.contains(&"ReportBatchItemFailures".into())),
                chaos: plan.chaos.get(resource).cloned().unwrap_or_default(),
                enabled: !plan.held.contains(resource),
                chains: self.chains.clone(),
            };
            self.mappings
                .insert(resource.clone(), Mapping::start(queue, function, settings));
        }
        Ok(())
    }

    /// A function.
    ///
    /// # Panics
    /// If no function has this name.
    #[must_use]
    pub fn function(&self, resource: &str) -> &Function {
        &find(&self.functions, resource).function
    }

    /// The proxy of a function.
    ///
    /// # Panics
    /// If no function has this name.
    #[must_use]
    pub fn proxy(&self, resource: &str) -> &Proxy {
        &find(&self.functions, resource).proxy
    }

    /// A queue.
    ///
    /// # Panics
    /// If no queue has this name.
    #[must_use]
    pub fn queue(&self, resource: &str) -> &Queue {
        find(&self.queues, resource)
    }

    /// A mapping.
    ///
    /// # Panics
    /// If no mapping has this name.
    #[must_use]
    pub fn mapping(&self, resource: &str) -> &Mapping {
        find(&self.mappings, resource)
    }

    /// A schedule.
    ///
    /// # Panics
    /// If no schedule has this name.
    #[must_use]
    pub fn schedule(&self, resource: &str) -> &Schedule {
        find(&self.schedules, resource)
    }

    /// A function's URL.
    ///
    /// # Panics
    /// If no URL has this name.
    #[must_use]
    pub fn url(&self, resource: &str) -> String {
        find(&self.urls, resource).url()
    }

    /// The names of all functions.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(String::as_str)
    }

    /// The summary of each function's invocations so far.
    #[must_use]
    pub fn reports(&self) -> BTreeMap<String, Vec<Report>> {
        let all = self.functions.iter();
        all.map(|(name, deployed)| (name.clone(), deployed.function.reports()))
            .collect()
    }

    /// Requests of all functions so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let counts = self
            .functions
            .values()
            .map(|deployed| deployed.proxy.counts());
        counts.fold(Counts::default(), |sum, each| sum + each)
    }

    /// The refused accesses of functions: none, if their policies are sufficient.
    #[must_use]
    pub fn refused(&self) -> BTreeSet<String> {
        let all = self.functions.iter().flat_map(|(name, deployed)| {
            deployed
                .proxy
                .refused()
                .into_iter()
                .map(move |why| format!("{name}: {why}"))
        });
        all.collect()
    }

    /// Ends all idle instances; returns their number.
    pub async fn retire(&self) -> usize {
        let mut count = 0;
        for deployed in self.functions.values() {
            count += deployed.function.retire().await;
        }
        count
    }

    /// The number of processes of functions.
    #[must_use]
    pub fn instances(&self) -> usize {
        self.functions
            .values()
            .map(|deployed| deployed.function.instances())
            .sum()
    }
}

fn find<'m, T>(all: &'m BTreeMap<String, T>, resource: &str) -> &'m T {
    let known: Vec<_> = all.keys().collect();
    let found = all.get(resource);
    found.unwrap_or_else(|| panic!("the stack has no {resource}: it has {known:?}"))
}
