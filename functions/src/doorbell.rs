//! Notifications between the processes of one machine.

use std::sync::Arc;

use millpond::ports::{Doorbell, Wakeups};
#[cfg(unix)]
use millpond_wakeups::SocketDoorbell;

use crate::assembly::Assembly;

/// The doorbell of the bucket's machine, where it has one. Without it causes of other processes
/// are found by polling.
pub(crate) fn doorbell(assembly: &Assembly, listens: bool) -> Arc<dyn Wakeups> {
    #[cfg(unix)]
    if let Some(folder) = assembly.location.bells() {
        let bell = SocketDoorbell::new(folder.clone());
        if !listens {
            return Arc::new(bell);
        }
        match bell.listen(&*assembly.entropy) {
            Ok(bell) => return Arc::new(bell),
            Err(error) => {
                let folder = folder.display();
                tracing::warn!(%error, %folder, "cannot listen for notifications of other processes: their work is found by polling");
            }
        }
    }
    Arc::new(Doorbell::default())
}
