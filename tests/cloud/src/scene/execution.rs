//! The executions as listed by the application's own commands.

use std::process::Stdio;

use millpond_servers::Place;
use serde_json::Value;
use tokio::process::Command;

use crate::scene::Scene;

/// An execution, as `list` prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// Its id.
    pub eid: String,
    /// Its workflow.
    pub workflow: String,
    /// Its status.
    pub status: String,
    /// Whether it is archived.
    pub archived: bool,
    /// The key it was started with.
    pub key: Option<String>,
}

impl Scene {
    /// Runs a command of the application on the bucket, bypassing the functions and their policies;
    /// returns its output, and whether it succeeded.
    ///
    /// # Panics
    /// If the binary cannot be run.
    pub async fn command(&self, words: &[&str]) -> (String, bool) {
        let done = Command::new(&self.setting.binary)
            .args(words)
            .args(["--bucket", &self.url()])
            .env_clear()
            .env("AWS_ACCESS_KEY_ID", Place::ID)
            .env("AWS_SECRET_ACCESS_KEY", Place::SECRET)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .await;
        let done = done.expect("the binary can be run");
        let out = String::from_utf8_lossy(&done.stdout).into_owned();
        (out, done.status.success())
    }

    /// All executions.
    ///
    /// # Panics
    /// If the command fails.
    pub async fn executions(&self) -> Vec<Execution> {
        let (out, well) = self
            .command(&["list", "--json", "--limit", "1000000"])
            .await;
        assert!(well, "list fails: {out}");
        let rows: Vec<Value> = serde_json::from_str(&out).expect("it is a list in JSON");
        let text = |row: &Value, field: &str| row[field].as_str().map(str::to_owned);
        let read = |row: &Value| Execution {
            eid: text(row, "eid").unwrap_or_default(),
            workflow: text(row, "workflow").unwrap_or_default(),
            status: text(row, "status").unwrap_or_default(),
            archived: row["archived"] == true,
            key: text(row, "dispatch_key"),
        };
        rows.iter().map(read).collect()
    }
}
