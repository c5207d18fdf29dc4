//! A folder with a bucket in it, and processes of the test application on that.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Longest wait for what must come.
const LONGEST: Duration = Duration::from_secs(60);

pub(crate) struct World {
    folder: TempDir,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A command that goes on. It is killed with the test.
pub(crate) struct Running {
    child: Child,
    err: PathBuf,
    out: PathBuf,
}

impl World {
    /// On the bucket that commands use if none is named: `pond.db`.
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_millpond-test-app"));
        command
            .current_dir(self.folder.path())
            .env_clear()
            .env("USER", "ana")
            .args(["--no-fsync"])
            .args(args);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Done {
        Done::of(&mut self.command(args))
    }

    /// Runs what must succeed.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let done = self.run(args);
        assert_eq!(done.code, 0, "{args:?}: {done:?}");
        done.out
    }

    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let out = self.ok(&[args, &["--json"]].concat());
        serde_json::from_str(&out).unwrap_or_else(|e| panic!("{args:?}: {e}: {out}"))
    }

    /// Starts an execution, and gives its id.
    pub(crate) fn start(&self, args: &[&str]) -> String {
        self.ok(&[&["start"], args].concat()).trim().to_owned()
    }

    /// Works until there is nothing to do.
    pub(crate) fn work(&self) -> String {
        self.ok(&["dev", "--until-idle"])
    }

    pub(crate) fn spawn(&self, name: &str, args: &[&str]) -> Running {
        let (out, err) = (
            self.path(&format!("{name}.out")),
            self.path(&format!("{name}.err")),
        );
        let mut command = self.command(args);
        command.stdout(File::create(&out).unwrap());
        command.stderr(File::create(&err).unwrap());
        Running {
            child: command.spawn().unwrap(),
            err,
            out,
        }
    }
}

impl Done {
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Running {
    pub(crate) fn err(&self) -> String {
        read(&self.err)
    }

    pub(crate) fn out(&self) -> String {
        read(&self.out)
    }

    pub(crate) fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        let status = Command::new("sh").args(["-c", &kill]).status().unwrap();
        assert!(status.success());
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn ended(&mut self) -> ExitStatus {
        let mut status = None;
        until("the process ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Looks until something is so.
pub(crate) fn until(what: &str, mut so: impl FnMut() -> bool) {
    let end = Instant::now() + LONGEST;
    while !so() {
        assert!(Instant::now() < end, "it never came that {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The files below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(rows) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = rows.map(|row| row.unwrap().path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}
