//! A hint as the text of an SQS message, in a form that readers can distinguish from other
//! messages.

use millpond::domain::{ExecutionId, Queue};
use millpond::keys::{Key, MailKey, TimerKey};
use millpond::ports::Hint;
use serde::{Deserialize, Serialize};

/// Version of this form. It comes first, which distinguishes the message from a notification.
const FORM: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
struct Body {
    millpond: u32,
    queue: Queue,
    eid: ExecutionId,
    cause: Key,
}

/// The body of a message that carries `hint`.
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

/// Parses [`body`], with a timer's instant; `None` for any other text, and if the cause does not
/// belong to that execution in that queue.
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
