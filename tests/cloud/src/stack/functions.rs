//! Functions, each behind a proxy that enforces its policies.

use std::time::Duration;

use millpond_servers::Place;
use serde_json::Value;

use crate::lambda::{Chains, Function, Spec};
use crate::policy::Policy;
use crate::proxy::Proxy;
use crate::stack::{Plan, StackError, Template};

/// A function and its proxy to S3 and SQS.
#[derive(Debug)]
pub(crate) struct Deployed {
    pub(crate) function: Function,
    pub(crate) proxy: Proxy,
}

/// AWS's managed policies that allow nothing on S3 or SQS.
const LOGS: &str = "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole";

impl Deployed {
    pub(crate) async fn new(
        server: &str,
        template: &Template,
        plan: &Plan,
        resource: &str,
        properties: &Value,
        chains: &Chains,
    ) -> Result<Self, StackError> {
        let policy = policy(template, resource, properties)?;
        let proxy = Proxy::start_with(server, policy, chains.clone()).await?;
        let name = template.named(resource, properties, "FunctionName");
        let log = plan.logs.join(format!("{resource}.log"));
        let mut spec = Spec::new(name, &plan.binary);
        let number = |property| properties[property].as_u64();
        let malformed = |property| StackError::Property {
            resource: resource.to_owned(),
            property,
        };
        spec.timeout = Duration::from_secs(number("Timeout").ok_or_else(|| malformed("Timeout"))?);
        spec.memory_mb = number("MemorySize").ok_or_else(|| malformed("MemorySize"))?;
        spec.concurrency = match number("ReservedConcurrentExecutions") {
            Some(reserved) => {
                usize::try_from(reserved).map_err(|_| malformed("ReservedConcurrentExecutions"))?
            }
            None => plan.instances,
        };
        spec.loops = properties["RecursiveLoop"] == "Allow";
        spec.log = Some(log);
        let variables = template.resolve(&properties["Environment"]["Variables"])?;
        for (name, value) in variables.as_object().into_iter().flatten() {
            let value = value.as_str().ok_or_else(|| malformed("Environment"))?;
            spec = spec.variable(name, value);
        }
        for (name, value) in &plan.environment {
            spec = spec.variable(name, value);
        }
        let spec = spec
            .variable("AWS_ACCESS_KEY_ID", Place::ID)
            .variable("AWS_SECRET_ACCESS_KEY", Place::SECRET)
            .variable("AWS_ENDPOINT_URL_S3", proxy.url())
            .variable("AWS_ENDPOINT_URL_SQS", proxy.url());
        Ok(Self {
            function: Function::new(spec),
            proxy,
        })
    }
}

/// The permissions of a function's role, and the policies of buckets and queues that apply to it.
fn policy(template: &Template, resource: &str, properties: &Value) -> Result<Policy, StackError> {
    let arn = template.text(resource, properties, "Role")?;
    let mut roles = template
        .of_type("AWS::IAM::Role")
        .filter(|(role, properties)| {
            arn.ends_with(&format!(
                ":role/{}",
                template.named(role, properties, "RoleName")
            ))
        });
    let Some((role, of_role)) = roles.next() else {
        return Err(StackError::Reference(arn));
    };
    let mut policy = Policy::of(&arn);
    for managed in of_role["ManagedPolicyArns"]
        .as_array()
        .into_iter()
        .flatten()
    {
        if template.resolve(managed)? != LOGS {
            return Err(StackError::Reference(managed.to_string()));
        }
    }
    let mut add = |from: &str, document: &Value| {
        let document = template.resolve(document)?;
        let added = policy.add(&document);
        added.map_err(|source| StackError::Policy {
            resource: from.to_owned(),
            source,
        })
    };
    for inline in of_role["Policies"].as_array().into_iter().flatten() {
        add(role, &inline["PolicyDocument"])?;
    }
    for kind in ["AWS::S3::BucketPolicy", "AWS::SQS::QueuePolicy"] {
        for (from, properties) in template.of_type(kind) {
            add(from, &properties["PolicyDocument"])?;
        }
    }
    Ok(policy)
}
