//! What a function is deployed with.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// A function as it is deployed.
#[derive(Debug, Clone)]
pub struct Spec {
    /// Its name.
    pub name: String,
    /// The executable: what is called `bootstrap` in the package.
    pub binary: PathBuf,
    /// Its environment, beside what Lambda sets. Nothing of this process's own is inherited.
    pub environment: BTreeMap<String, String>,
    /// How long an invocation may take.
    pub timeout: Duration,
    /// How long an instance may take to ask for its first invocation.
    pub init_timeout: Duration,
    /// Resident memory above which an instance is killed, in MB.
    pub memory_mb: u64,
    /// How many invocations there may be at once.
    pub concurrency: usize,
    /// The file that its instances' output is appended to; without one it is dropped.
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
            concurrency: 10,
            log: None,
        }
    }

    /// Adds a variable of the environment.
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

    /// What a process of it finds in its environment.
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
        // As on Lambda, reserved variables win.
        all.extend(lambda.map(|(name, value)| (name.to_owned(), value)));
        all
    }
}
