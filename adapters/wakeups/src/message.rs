//! A hint as the text of a message: what a queue of SQS carries, and who reads one knows it by.

use millpond::domain::{ExecutionId, Queue};
use millpond::keys::{Key, MailKey, TimerKey};
use millpond::ports::Hint;
use serde::{Deserialize, Serialize};

/// Version of this form. It stands first, so that it tells the message from a notification.
const FORM: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
struct Body {
    millpond: u32,
    queue: Queue,
    eid: ExecutionId,
    cause: Key,
}

/// The body of a message that passes `hint` on.
#[must_use]
pub fn body(hint: &Hint) -> String {
    let body = Body {
        millpond: FORM,
        queue: hint.queue.clone(),
        eid: hint.eid,
        cause: hint.cause.clone(),
    };
    serde_json::to_string(&body).expect("names and keys are text")
}

/// Reads [`body`] back, with a timer's instant; `None` for any other text, also where the cause
/// is not one of that execution in that queue.
#[must_use]
pub fn parse(text: &str) -> Option<Hint> {
    let Body {
        millpond,
        queue,
        eid,
        cause,
    } = serde_json::from_str(text).ok()?;
    let (named, at) = if let Some(timer) = TimerKey::parse(&cause) {
        ((timer.queue, timer.eid), Some(timer.due))
    } else {
        let mail = MailKey::parse(&cause)?;
        ((mail.queue, mail.eid), None)
    };
    let fits = millpond == FORM && named == (queue.clone(), eid);
    fits.then_some(Hint {
        queue,
        eid,
        cause,
        at,
    })
}
