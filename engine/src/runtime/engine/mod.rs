//! What programs and operators call: start, signal, look.
//!
//! An engine only writes mail and first heads, and reads. It never replaces a head (I2): a
//! run is the single writer.

mod control;
mod error;
mod execution;
mod frames;
mod list;
mod result;
mod start;

use std::sync::Arc;

pub use control::{Signal, Signalled};
pub use error::{EngineError, ErrorKind};
pub use execution::{Execution, JournalPage};
pub use frames::{AttemptView, Frame, FrameKind, FrameStatus};
pub use list::{Filter, Row};
pub use result::Outcome;
pub use start::{Start, Started};

use super::{App, Core, Host, RegistryError};
use crate::doors::Doors;
use crate::settings::Settings;

/// A handle on one bucket with one application. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Engine {
    core: Arc<Core>,
}

impl Engine {
    /// An engine with default settings.
    ///
    /// # Errors
    /// [`RegistryError`] when the application does not hold together.
    pub fn new(doors: Doors, app: App, host: Host) -> Result<Self, RegistryError> {
        Self::with_settings(doors, app, host, Settings::default())
    }

    /// An engine with settings of its own.
    ///
    /// # Errors
    /// [`RegistryError`] when the application does not hold together.
    pub fn with_settings(
        doors: Doors,
        app: App,
        host: Host,
        settings: Settings,
    ) -> Result<Self, RegistryError> {
        app.check()?;
        Ok(Self {
            core: Arc::new(Core {
                doors,
                settings,
                app: Arc::new(app),
                host,
            }),
        })
    }

    /// The application.
    #[must_use]
    pub fn app(&self) -> &App {
        &self.core.app
    }

    /// The doors it was given.
    #[must_use]
    pub fn doors(&self) -> &Doors {
        &self.core.doors
    }

    /// What workers and sweepers are made of.
    #[must_use]
    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }
}
