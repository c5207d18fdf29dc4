//! The identity of this process.

use std::path::Path;
use std::time::SystemTime;

use jiff::Timestamp;
use millpond::client::Host;
use millpond::ports::Entropy;

use crate::environment::Environment;

/// The name of this process, unique in its life, and of its build.
pub(crate) fn host(environment: &Environment, entropy: &dyn Entropy) -> Host {
    let name = gethostname::gethostname();
    let site = format!("{}-{}", name.to_string_lossy(), std::process::id());
    let nonce = entropy.nonce();
    Host {
        worker: format!("{site}-{}", nonce.get(..8).unwrap_or(&nonce)),
        code_ref: environment.code_ref.clone().unwrap_or_else(build),
        site,
    }
}

/// The modification time and the name of the executable. The time comes first, because builds are
/// ordered by this name: an older build leaves what it cannot replay to a newer one.
fn build() -> String {
    let exe = std::env::current_exe().ok();
    let modified = exe
        .as_deref()
        .and_then(|path| path.metadata().ok()?.modified().ok())
        .unwrap_or(SystemTime::UNIX_EPOCH);
    let at = Timestamp::try_from(modified).unwrap_or(Timestamp::UNIX_EPOCH);
    let name = exe.as_deref().and_then(Path::file_stem);
    let name = name.map_or("unknown".into(), |name| name.to_string_lossy());
    format!("{}-{name}", at.strftime("%Y%m%dT%H%M%S"))
}
