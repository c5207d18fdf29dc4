//! Performs effects.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};

use super::plan::{Effect, Sender, What};
use crate::domain::{Body, Channel, ExecutionId, Mail, MessageId, Queue, Record};
use crate::feed;
use crate::journal::{Item, Journal};
use crate::mailbox;
use crate::ports::BucketError;
use crate::ports::Created;
use crate::process::Core;
use crate::stored::{self, LoadError};
use crate::timers;

/// Why dispatching stopped. The next run repeats the effects that were performed, which changes
/// nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DispatchError {
    /// The store failed.
    #[error("an effect could not be performed")]
    Bucket(#[from] BucketError),
    /// A value to be sent could not be read.
    #[error("a value of an effect could not be read")]
    Load(#[from] LoadError),
    /// The time limit of the dispatch has passed.
    #[error("no time is left to dispatch effects")]
    Late,
}

impl DispatchError {
    /// Returns the store's error, if that is the cause.
    pub(crate) fn bucket(&self) -> Option<&BucketError> {
        match self {
            Self::Bucket(error) | Self::Load(LoadError::Bucket(error)) => Some(error),
            Self::Load(_) | Self::Late => None,
        }
    }
}

/// Performs `effects` of the execution `from`: those on different executions concurrently, those
/// on one execution in order, the feed last. Returns the items that are now dispatched.
///
/// Price: timer 1 P; child 2 P; result or own mail 1 P; message to another 1 G + 1 P; feed 1 P.
pub(crate) async fn perform(
    core: Arc<Core>,
    from: ExecutionId,
    effects: Vec<Effect>,
) -> Result<Vec<Item>, DispatchError> {
    let mut dispatched: Vec<Item> = effects.iter().map(|effect| effect.item).collect();
    let mut chains: BTreeMap<Option<ExecutionId>, Vec<What>> = BTreeMap::new();
    let mut last = None;
    for Effect { what, .. } in effects {
        match what {
            What::Feed(record, announced) => {
                dispatched.extend(announced);
                last = Some(record);
            }
            other => chains.entry(other.target()).or_default().push(other),
        }
    }
    let work: Vec<_> = chains
        .into_values()
        .map(|chain| in_order(&core, from, chain))
        .collect();
    let concurrency = core.settings.concurrency.max(1);
    stream::iter(work)
        .buffer_unordered(concurrency)
        .try_collect::<()>()
        .await?;
    if let Some(record) = last {
        feed::write(&core.ports, &record).await?;
    }
    Ok(dispatched)
}

async fn in_order(core: &Core, from: ExecutionId, chain: Vec<What>) -> Result<(), DispatchError> {
    for what in chain {
        one(core, &from, what).await?;
    }
    Ok(())
}

async fn one(core: &Core, from: &ExecutionId, what: What) -> Result<(), DispatchError> {
    let ports = &core.ports;
    match what {
        What::Timer(key) => {
            timers::set(ports, &key).await?;
            timers::notify(ports, key).await;
        }
        What::Child(mut record) => {
            let (to, inline) = (record.eid, core.settings.inline_args);
            record.args = stored::carry(ports, from, &to, &record.args, inline).await?;
            let _ = begin(core, *record).await?;
        }
        What::Message {
            to,
            channel,
            payload,
            sender,
        } => {
            if let Some(queue) = receiver(core, from, &to, &channel).await? {
                let body = Body::Message { channel, payload };
                send(core, from, &to, &queue, body, sender).await?;
            }
        }
        What::Mail {
            to,
            queue,
            body,
            sender,
        } => send(core, from, &to, &queue, body, sender).await?,
        What::Feed(record, _) => feed::write(ports, &record).await?,
    }
    Ok(())
}

/// Returns the queue of the execution that a message is for; `None` if it cannot receive one, which
/// is logged and not retried, as with any sender. 1 G.
async fn receiver(
    core: &Core,
    from: &ExecutionId,
    to: &ExecutionId,
    channel: &Channel,
) -> Result<Option<Queue>, DispatchError> {
    match Journal::load(&core.ports, to).await {
        Ok(Some(target)) if !target.head.status.is_terminal() => Ok(Some(target.head.record.queue)),
        Ok(_) => {
            tracing::warn!(%from, %to, %channel, "message to an unknown or finished execution");
            Ok(None)
        }
        // The target can be read later, or by a newer build: retried, not dropped.
        Err(error @ (LoadError::Bucket(_) | LoadError::Newer { .. })) => Err(error.into()),
        Err(error @ (LoadError::Corrupt { .. } | LoadError::Missing { .. })) => {
            tracing::warn!(%from, %to, %channel, %error, "message to a broken execution");
            Ok(None)
        }
    }
}

/// Creates the message and, before it, its value under the receiver if the value is large.
async fn send(
    core: &Core,
    from: &ExecutionId,
    to: &ExecutionId,
    queue: &Queue,
    mut body: Body,
    sender: Sender,
) -> Result<(), DispatchError> {
    let value = match &mut body {
        Body::Message { payload, .. } => Some(payload),
        Body::Child {
            outcome: Ok(payload),
            ..
        } => Some(payload),
        _ => None,
    };
    if let Some(value) = value {
        *value = stored::carry(&core.ports, from, to, value, core.settings.inline).await?;
    }
    let mail = Mail::new(sender.mid, sender.by, sender.at, body);
    let _ = mailbox::send(&core.ports, queue, to, &mail).await?;
    Ok(())
}

/// Creates the `start` mail, then the head, then notifies. Each crash converges: a `start`
/// without a head makes a run create the head; a head never exists without its `start`. The head
/// decides whose record counts: the mail may be that of another starter. 2 P.
pub(crate) async fn begin(core: &Core, record: Record) -> Result<Created, BucketError> {
    let (queue, eid) = (record.queue.clone(), record.eid);
    let body = Body::Start(Some(Box::new(record.clone())));
    let from = record.created_by.clone();
    let mail = Mail::new(MessageId::start(), from, record.created_at, body);
    let _ = mailbox::put(&core.ports, &queue, &eid, &mail).await?;
    let begun = Journal::begin(&core.ports, record).await?;
    mailbox::notify(&core.ports, &queue, &eid, &mail).await;
    Ok(begun)
}
