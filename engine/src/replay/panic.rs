//! Panics of user code: caught, with their text and place.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// A panic of user code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Panic {
    pub(super) message: String,
    /// `file:line:column`, unless the application has replaced the panic hook.
    pub(super) location: String,
}

thread_local! {
    /// The place of the last panic on this thread while `catch` runs.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs user code. The place of a panic is known only to the process's panic hook, so the first
/// call adds one in front of the present hook, which still runs.
pub(super) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let present = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PLACE.set(panic.location().map(ToString::to_string));
            present(panic);
        }));
    });
    PLACE.set(None);
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| Panic {
        message: text(&*panic).to_owned(),
        location: PLACE.take().unwrap_or_else(|| "unknown".to_owned()),
    })
}

/// Returns the text of a panic.
pub(super) fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panicked without a message")
}
