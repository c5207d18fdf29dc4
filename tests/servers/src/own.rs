//! A server started by this process.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// A server of this test's own. It stops when this is dropped, or when the process dies and thereby
/// closes its input.
#[derive(Debug)]
pub(crate) struct Own {
    name: &'static str,
    /// The script that supervises the server, until it is killed.
    script: Option<Child>,
    folder: TempDir,
    pub(crate) url: String,
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../localstack/server")
}

impl Own {
    pub(crate) fn start(name: &'static str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut own = Self {
            name,
            script: None,
            folder,
            url: String::new(),
        };
        own.serve(None);
        own
    }

    fn serve(&mut self, port: Option<&str>) {
        let mut child = Command::new(script())
            .args(["serve", self.name])
            .arg(self.folder.path())
            .args(port)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("localstack/server can be run");
        let out = child.stdout.take().expect("it is piped");
        let mut url = String::new();
        BufReader::new(out).read_line(&mut url).expect("it is text");
        url.trim().clone_into(&mut self.url);
        self.script = Some(child);
        let name = self.name;
        assert!(
            !self.url.is_empty(),
            "{name} was not started; the reason is above"
        );
    }

    /// Kills the server with SIGKILL, and restarts it on the same data and port.
    pub(crate) fn crash(&mut self) {
        let pid = std::fs::read_to_string(self.folder.path().join("pid")).expect("it runs");
        let killed = Command::new("kill").args(["-KILL", pid.trim()]).status();
        assert!(killed.expect("kill can be run").success(), "it runs");
        self.stop();
        let port = self.url.rsplit(':').next().map(str::to_owned);
        self.serve(port.as_deref());
    }

    fn stop(&mut self) {
        if let Some(mut child) = self.script.take() {
            // The script stops the server at the end of its input.
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        self.stop();
    }
}
