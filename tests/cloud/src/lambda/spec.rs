//! The specification of a function.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// A function as it is deployed.
#[derive(Debug, Clone)]
pub struct Spec {
    /// Its name.
    pub name: String,
    /// The executable, named `bootstrap` in the package.
    pub binary: PathBuf,
    /// Its environment, in addition to Lambda's variables. None of this process's variables are
    /// inherited.
    pub environment: BTreeMap<String, String>,
    /// The timeout of an invocation.
    pub timeout: Duration,
    /// The timeout until an instance asks for its first invocation.
    pub init_timeout: Duration,
    /// Resident memory above which an instance is killed, in MB.
    pub memory_mb: u64,
    /// `RecursiveLoop: Allow`: its chains of invocations are not stopped.
    pub loops: bool,
    /// The maximum number of concurrent invocations.
    pub concurrency: usize,
    /// The file that its instances' output is appended to; without one, the output is dropped.
    pub log: Option<PathBuf>,
}

impl Spec {
    /// A function with Lambda's own defaults: 3 s, 128 MB; and at most ten instances.
    #[must_use]
    pub fn new(name: impl Into<String>, binary: impl Into<PathBuf>) -> Self {
        Self {
            name: name.into(),
            binary: binary.into(),
            environment: BTreeMap::new(),
            timeout: Duration::from_secs(3),
            init_timeout: Duration::from_secs(10),
            memory_mb: 128,
            loops: false,
            concurrency: 10,
            log: None,
        }
    }

    /// Adds an environment variable.
    #[must_use]
    pub fn variable(mut self, name: &str, value: impl Into<String>) -> Self {
        self.environment.insert(name.to_owned(), value.into());
        self
    }

    /// Its ARN in the emulated account.
    #[must_use]
    pub fn arn(&self) -> String {
        let (region, account) = (crate::REGION, crate::ACCOUNT);
        format!("arn:aws:lambda:{region}:{account}:function:{}", self.name)
    }

    /// The environment variables of its processes.
    pub(crate) fn variables(&self, api: &str, instance: u64) -> BTreeMap<String, String> {
        let task = self.binary.parent().map(|path| path.display().to_string());
        let lambda = [
            ("AWS_LAMBDA_RUNTIME_API", api.to_owned()),
            ("AWS_LAMBDA_FUNCTION_NAME", self.name.clone()),
            ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST".to_owned()),
            (
                "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
                self.memory_mb.to_string(),
            ),
            ("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand".to_owned()),
            (
                "AWS_LAMBDA_LOG_GROUP_NAME",
                format!("/aws/lambda/{}", self.name),
            ),
            (
                "AWS_LAMBDA_LOG_STREAM_NAME",
                format!("[$LATEST]{instance:032x}"),
            ),
            ("AWS_EXECUTION_ENV", "AWS_Lambda_provided.al2023".to_owned()),
            ("AWS_REGION", crate::REGION.to_owned()),
            ("AWS_DEFAULT_REGION", crate::REGION.to_owned()),
            ("LAMBDA_TASK_ROOT", task.unwrap_or_default()),
            ("LAMBDA_RUNTIME_DIR", "/var/runtime".to_owned()),
            ("_HANDLER", "bootstrap".to_owned()),
            ("LANG", "en_US.UTF-8".to_owned()),
            ("TZ", ":UTC".to_owned()),
            ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
        ];
        let mut all = self.environment.clone();
        // As on Lambda, reserved variables take precedence.
        all.extend(lambda.map(|(name, value)| (name.to_owned(), value)));
        all
    }
}
