//! Replays of exported histories.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use millpond::client::{App, EngineError, Queried, Query};
use millpond::domain::ExecutionId;
use millpond::keys::{self, Key};
use millpond::ports::Expect;

use crate::World;

/// Replays the executions of an exported bucket with `app`, and returns for each of them what a
/// query shows ([`Engine::query`](millpond::client::Engine::query)), or why this build cannot
/// continue it. `folder` is one that the command `bucket export` has written.
///
/// A test that does so with real histories notices a change of a workflow that would block
/// executions, before it is deployed:
///
/// ```no_run
/// # let app = millpond::client::App::new();
/// for (eid, shown) in millpond_testing::replay(app, "tests/histories")? {
///     assert!(shown.is_ok(), "{eid}: {}", shown.unwrap_err());
/// }
/// # Ok::<_, std::io::Error>(())
/// ```
///
/// # Errors
/// The folder cannot be read, or contains no head of an execution.
///
/// # Panics
/// If the application is inconsistent.
pub fn replay(
    app: App,
    folder: impl AsRef<Path>,
) -> io::Result<BTreeMap<ExecutionId, Result<Queried, EngineError>>> {
    let world = World::new(app);
    let mut executions = Vec::new();
    load(&world, folder.as_ref(), "", &mut executions)?;
    if executions.is_empty() {
        // A test over no history would always pass.
        let why = "no history in the folder: name one of `bucket export`";
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    let query = Query::newest();
    let replays = executions.into_iter().map(|eid| {
        let shown = world.block(world.engine.query(eid, &query));
        (eid, shown)
    });
    Ok(replays.collect())
}

/// Copies the objects of executions below `folder` to the bucket of `world`. Their keys begin with
/// `prefix`.
fn load(
    world: &World,
    folder: &Path,
    prefix: &str,
    executions: &mut Vec<ExecutionId>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            load(world, &entry.path(), &format!("{name}/"), executions)?;
            continue;
        }
        let Ok(key) = Key::parse(&name) else {
            continue; // no object of the bucket
        };
        let Some(eid) = keys::lease(&key).or_else(|| keys::archived(&key)) else {
            continue;
        };
        if key == keys::head(&eid) {
            executions.push(eid);
        }
        #[expect(clippy::disallowed_methods, reason = "this crate is for tests")]
        let body = fs::read(entry.path())?;
        let bucket = &world.engine.ports().bucket;
        let write = bucket.write(&key, body.into(), Expect::Absent);
        let _ = world.block(write).map_err(io::Error::other)?;
    }
    Ok(())
}
